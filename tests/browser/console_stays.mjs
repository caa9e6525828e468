// The console is fetched anew every few seconds: what somebody types, reads, selects or has the
// focus on stays, and what goes wrong meanwhile is told once, and no longer than it is so.

export default async function run({ tab, faults, told, PHONE, DESKTOP, base }) {
  const found = {};
  const page = await tab({ size: DESKTOP });
  await page.context().addCookies([{ name: 'stepsmith-as', value: told.person, url: base }]);
  const post = async (path, body = {}) => {
    const headers = { 'Content-Type': 'application/json', Prefer: 'respond-async' };
    return (await page.context().request.post(base + path, { data: body, headers })).json();
  };
  const polled = async (path, times = 2) => {
    for (let at = 0; at < times; at += 1) await page.waitForResponse((one) => one.url().includes(path));
    await page.waitForTimeout(100); // for it to be drawn
  };
  const at = (name) => page.evaluate((one) => document.activeElement.getAttribute(one), name);

  // A list: what is typed into a filter, and the link that has the focus, above which a run appears.
  await post('/api/workflows/release/run', { version: '1.0.0' });
  await page.goto('/#/runs');
  await page.locator('tbody tr').first().waitFor();
  await page.getByLabel('Id begins with').fill('rel');
  await page.locator('tbody a').first().focus();
  const link = await at('href');
  const { run_id: newer } = await post('/api/workflows/release/run', { version: '1.0.1' });
  await page.locator(`[id="row-${newer}"]`).waitFor();
  await polled('/api/runs?');
  found.typed = await page.getByLabel('Id begins with').inputValue();
  found.focus = (await at('href')) === link;
  await page.getByLabel('Status').focus();
  await page.getByLabel('Status').selectOption('running');
  await page.waitForURL('**status=running**');
  await polled('/api/runs?');
  found.filter = [await at('id'), await page.getByLabel('Id begins with').inputValue()];

  // A run: its log, what is selected in it, and where the focus is when the details are closed.
  await page.goto(`/#/runs/${newer}?step=build`);
  await page.getByRole('button', { name: 'Show its log' }).click();
  await page.getByLabel('Log', { exact: true }).waitFor();
  await page.evaluate(() => getSelection().selectAllChildren(document.querySelector('pre[aria-label=Log]')));
  const chosen = await page.evaluate(() => String(getSelection()));
  await polled(`/api/runs/${newer}`);
  found.log = await page.getByLabel('Log', { exact: true }).count();
  found.selected = chosen !== '' && (await page.evaluate(() => String(getSelection()))) === chosen;
  await page.locator('#close-step').press('Enter');
  found.closed = await at('id');

  // A task on a phone: half a comment, while another approver answers, who is told of.
  const phone = await tab({ size: PHONE });
  await phone.context().addCookies([{ name: 'stepsmith-as', value: told.approver, url: base }]);
  await phone.goto('/#/tasks');
  await phone.locator(`#main a`).filter({ hasText: '1.0.1' }).first().click();
  await phone.getByLabel('Comment').fill('half of it');
  const id = phone.url().split('/').pop();
  await phone.waitForResponse((one) => one.url().endsWith(id));
  await phone.waitForResponse((one) => one.url().endsWith(id));
  found.comment = await phone.getByLabel('Comment').inputValue();
  await page.context().request.post(`${base}/api/tasks/${id}/status`, {
    data: { status: 'rejected' }, headers: { Cookie: `stepsmith-as=${told.other}` },
  });
  await phone.locator('#decide', { hasText: 'rejected' }).waitFor();
  found.other = await phone.locator('#said').textContent();

  // Nothing of mine on a page of tasks, and something behind it.
  await phone.route('**/api/tasks?*', async (route) => {
    const query = new URL(route.request().url()).searchParams;
    if (query.get('cursor') || !query.get('status')) await route.continue({ url: `${base}/api/tasks?status=closed` });
    else await route.fulfill({ json: { items: [], next: 'more' } });
  });
  await phone.goto('/#/tasks?mine=true');
  await phone.locator('#main tbody a', { hasText: '1.0.1' }).first().waitFor();
  found.inbox = await phone.locator('#main tbody tr').count();

  // The line is cut, and mended.
  await page.goto('/#/runs');
  await page.locator('tbody tr').first().waitFor();
  await page.context().setOffline(true);
  await page.locator('#said', { hasText: 'cannot be reached' }).waitFor();
  found.rows = await page.locator('tbody tr').count();
  await page.context().setOffline(false);
  await page.locator('#said', { hasText: 'works again' }).waitFor();
  faults.splice(0);

  // A login that is over is told, and nobody is sent away from what they type.
  const over = await tab({ size: DESKTOP });
  await over.addInitScript(() => sessionStorage.setItem('stepsmith-login', JSON.stringify({ token: 'x.e30.x', until: Date.now() + 3_600_000 })));
  await over.route('**/console.json', (route) => route.fulfill({ json: { auth: 'oidc', authority: 'https://login.example.com', client_id: 'x', stage: 'prod' } }));
  let isOver = false;
  await over.route('**/api/**', (route) => (isOver ? route.fulfill({ status: 401, json: { title: 'Unauthorized' } }) : route.continue()));
  await over.goto('/#/runs');
  await over.getByLabel('Id begins with').fill('rel');
  isOver = true;
  await over.getByRole('alert').waitFor();
  found.over = [await over.getByRole('alert').textContent(), await over.getByLabel('Id begins with').inputValue()];
  faults.splice(0);
  return found;
}
