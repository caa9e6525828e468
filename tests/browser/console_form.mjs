// Fills in the same form in the console, in another time zone, and on a task's page without
// JavaScript; what comes of both is compared.

export default async function run({ browser, axe, faults, told, base }) {
  const found = {};
  const tab = async (more) => {
    const context = await browser.newContext({ baseURL: base, timezoneId: 'Asia/Tokyo', ...more });
    await context.addCookies([{ name: 'stepsmith-as', value: told.person, url: base }]);
    return context.newPage();
  };
  const page = await tab({});
  async function task() {
    const headers = { 'Content-Type': 'application/json', Prefer: 'respond-async', Cookie: `stepsmith-as=${told.starter}` };
    const { run_id: run } = await (await page.context().request.post(`${base}/api/workflows/form/run`, { data: {}, headers })).json();
    for (let tries = 0; tries < 100; tries += 1) {
      const { items } = await (await page.context().request.get(`${base}/api/tasks?run=${run}`)).json();
      if (items.length) return items[0].task_id;
      await page.waitForTimeout(200);
    }
    throw new Error('no task was opened');
  }
  const decision = async (id) => (await (await page.context().request.get(`${base}/api/tasks/${id}`)).json()).decision.form;
  async function fill(on) {
    await on.getByLabel('when').fill('2026-12-01T10:00');
    await on.getByLabel('us', { exact: true }).check();
    await on.getByLabel('Perhaps').fill('yes');
    await on.getByLabel('Why not').fill('one\ntwo');
    await on.getByLabel('sure').uncheck();
    await on.getByLabel('more').fill('{"a": [1]}');
  }

  const first = await task();
  await page.goto(`/#/tasks/${first}`);
  await fill(page);
  await page.getByLabel('fixed').selectOption('7');
  await page.getByLabel('hosts').fill('a.example.com\n\n b.example.com');
  found.hint = await page.locator('[id="form-when-hint"]').textContent();
  found.axe = await axe(page);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('#decide', { hasText: 'approved' }).waitFor();
  found.console = await decision(first);

  const second = await task();
  const plain = await tab({});
  await plain.goto(`/tasks/${second}`);
  await fill(plain);
  await plain.getByLabel('7').check();
  await plain.$eval('form', (form) => { form.noValidate = true; });
  await plain.getByRole('button', { name: 'Approve' }).click();
  found.refused = (await plain.title()).startsWith('Nothing was decided');
  found.focus = await plain.evaluate(() => document.activeElement.name);
  found.axe.push(...await axe(plain));
  await plain.getByLabel('hosts').fill('a.example.com\n\n b.example.com');
  await plain.getByRole('button', { name: 'Approve' }).click();
  await plain.getByText('Your decision counts').waitFor();
  found.page = await decision(second);
  faults.splice(0);
  return found;
}
