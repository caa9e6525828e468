// Walks through the console as the person on call does: starts a run from its form, has somebody
// approve it, sees it end; looks at a failed one; and at what hostile texts come to.

const NAME = (page, text) => page.getByRole('link', { name: text, exact: true });

export default async function run({ tab, axe, fits, faults, told, PHONE, DESKTOP, base }) {
  const found = { axe: [], wide: [] };
  const look = async (page, name) => {
    found.axe.push(...(await axe(page)).map((fault) => `${name}: ${fault}`));
    if (!(await fits(page))) found.wide.push(name);
  };
  const as = async (page, person) => page.context().addCookies([
    { name: 'stepsmith-as', value: encodeURIComponent(person), url: base },
  ]);
  const carol = await tab({ size: DESKTOP });
  await as(carol, 'carol@example.com');
  const alice = await tab({ size: PHONE, colours: 'dark' });
  await as(alice, 'alice@example.com');

  // Start from the form: what is wrong is said at its field, what is right begins a run.
  await carol.goto('/#/workflows');
  await NAME(carol, told.name).click();
  await carol.getByLabel('version').fill('one');
  await carol.getByRole('button', { name: 'Start a run' }).click();
  await carol.locator('#input-version-problem').waitFor();
  found.invalid = await carol.locator('#input-version-problem').textContent();
  await look(carol, 'start form');
  found.refused = faults.splice(0); // that the API said no is what was asked for
  async function start(version) {
    await carol.goto('/#/workflows/release');
    await carol.getByLabel('version').fill(version);
    await carol.getByRole('button', { name: 'Start a run' }).click();
    await carol.waitForURL('**/#/runs/**');
    await carol.locator('#card-review', { hasText: 'waiting' }).waitFor();
  }
  async function decide(comment) {
    await alice.goto('/#/runs'); // so that the next address is another one
    await alice.goto('/#/tasks');
    await alice.locator('#main table a').first().click();
    await alice.getByLabel('Comment').fill(comment);
    await look(alice, 'task on a phone');
    await alice.getByRole('button', { name: 'Approve' }).click();
    await alice.locator('#decide', { hasText: 'approved' }).waitFor();
  }
  await start('1.2.3');
  found.waiting = await carol.locator('#card-review').getAttribute('aria-label');
  await look(carol, 'running run');
  await decide(told.hostile);
  found.comment = await alice.locator('blockquote').first().textContent();
  await carol.locator('.head .chip', { hasText: 'succeeded' }).waitFor();
  found.outputs = await carol.getByLabel('Outputs').textContent();

  // By keyboard alone: a step's details open and close.
  await carol.locator('#card-build').focus();
  await carol.keyboard.press('Enter');
  found.step = await carol.locator('#step').textContent();
  await carol.locator('#close-step').press('Enter');
  found.closed = await carol.locator('#step').count();

  // A failed run names the step, the error and the line.
  await start('6.6.6');
  await decide('go on');
  await carol.locator('.head .chip', { hasText: 'failed' }).first().waitFor();
  await carol.locator('.note.bad a', { hasText: 'deploy' }).click();
  found.error = await carol.locator('section .note.bad').textContent();
  found.line = await carol.locator('pre.source .here').textContent();
  await look(carol, 'failed run');
  await carol.getByRole('button', { name: 'Show its log' }).click();
  found.log = await carol.getByLabel('Log').textContent();

  // A resume says what it will do, then does it.
  await carol.getByRole('button', { name: 'Resume…' }).click();
  const asked = carol.getByRole('form', { name: 'Resume the run' });
  found.plan = await asked.innerText();
  await look(carol, 'plan of a resume');
  await asked.getByRole('button', { name: 'Resume', exact: true }).click();
  await carol.locator('h1 small', { hasText: 'attempt 2' }).waitFor();
  await carol.getByRole('button', { name: 'Cancel…' }).click();
  await carol.getByRole('button', { name: 'Cancel the run' }).click();
  await carol.locator('.head .chip', { hasText: 'cancelled' }).first().waitFor();

  // Lists.
  await carol.goto('/#/runs');
  await carol.locator('tbody tr').nth(1).waitFor();
  await carol.getByLabel('Status').selectOption('cancelled');
  await carol.waitForURL('**status=cancelled**');
  await carol.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
  await look(carol, 'runs');
  for (const path of ['/#/events', '/#/workflows', '/#/tasks?status=closed&mine=false']) {
    await carol.goto(path);
    await carol.locator('#main h1').waitFor();
    await look(carol, path);
    await alice.goto(path);
    await alice.locator('#main h1').waitFor();
    await look(alice, `${path} on a phone`);
  }

  // Hostile names are text.
  await carol.goto('/#/workflows/hostile');
  await carol.locator('.graph svg').waitFor();
  found.hostile = await carol.locator('h1').textContent();
  found.scripts = await carol.evaluate(() => document.querySelectorAll('main script, main img').length);
  found.alerted = await carol.evaluate(() => globalThis.alerted === true);

  // A run of many steps is drawn quickly.
  const many = await tab({ size: DESKTOP });
  await many.goto('/#/workflows/many');
  await many.locator('#card-s199').waitFor();
  const record = {
    run_id: 'many-1', workflow_id: 'many', workflow_version: '', run_attempt: 1, status: 'succeeded',
    started_by: null, started_at: '2026-11-30T00:00:00Z', completed_at: '2026-11-30T01:00:00Z',
    outputs: null, error: null,
    steps: Array.from({ length: 200 }, (_, at) => ({
      step_id: `s${at}`, status: 'succeeded', attempt: 1,
      started_at: '2026-11-30T00:00:00Z', completed_at: '2026-11-30T00:30:00Z',
    })),
  };
  await many.route('**/api/runs/many-1', (route) => route.fulfill({ json: record }));
  const began = Date.now();
  await many.goto('/#/runs/many-1');
  await many.locator('#card-s199.good').waitFor();
  found.milliseconds = Date.now() - began;
  return found;
}
