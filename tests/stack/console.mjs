// The console of a deployed stage, as far as it shows that pages, API and logins go together:
// Bob starts a run from its form, Alice approves it, both see it end.

export default async function run({ tab, axe, told, PHONE, DESKTOP, base }) {
  const as = async (page, person) => page.context().addCookies([
    { name: 'stepsmith-as', value: encodeURIComponent(person), url: base },
  ]);
  const bob = await tab({ size: DESKTOP });
  await as(bob, told.starter);
  await bob.goto('/#/workflows/deploy');
  await bob.getByLabel('version').fill(told.version);
  await bob.getByRole('button', { name: 'Start a run' }).click();
  await bob.waitForURL('**/#/runs/**');
  await bob.locator('#card-review', { hasText: 'waiting' }).waitFor();

  const alice = await tab({ size: PHONE });
  await as(alice, told.decider);
  await alice.goto('/#/tasks');
  await alice.locator('#main table a', { hasText: told.title }).first().click();
  await alice.getByLabel('Comment').fill('fine');
  await alice.getByRole('button', { name: 'Approve' }).click();
  await alice.locator('#decide', { hasText: 'approved' }).waitFor();

  await bob.locator('.head .chip', { hasText: 'succeeded' }).waitFor();
  return {
    outputs: await bob.getByLabel('Outputs').textContent(),
    who: await bob.locator('#who').textContent(),
    axe: await axe(bob),
  };
}
