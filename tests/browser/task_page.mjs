// Looks at a task's page as an approver does, and decides on it without JavaScript.

const LOOKS = [['PHONE', 'dark'], ['DESKTOP', 'light']];

export default async function run({ tab, axe, fits, told, ...sizes }) {
  const found = {};
  const look = async (name, page) => {
    found[name] = [...(found[name] ?? []), ...(await axe(page)), ...(await fits(page) ? [] : ['too wide'])];
  };
  for (const [size, colours] of LOOKS) {
    const page = await tab({ size: sizes[size], colours });
    for (const [name, path] of Object.entries(told.pages)) {
      await page.goto(path);
      await look(name, page);
    }
    await page.goto(told.form);
    // What the browser itself would hold against it is not what the server says.
    await page.$eval('form', (form) => { form.noValidate = true; });
    await page.click('button[value=approved]');
    await look('refused', page);
  }

  const page = await tab({ size: sizes.PHONE, script: false });
  await page.goto(told.form);
  const word = await page.title();
  await page.fill('input[name="form.reason"]', 'tested');
  await page.press('input[name="form.reason"]', 'Enter');
  const afterEnter = page.url();
  await page.click('button[value=approved]');
  const stillThere = page.url();  // the browser asks for what is required
  await page.fill('input[name="form.day"]', '2026-12-01');
  await page.check('input[value=canary]');
  await page.fill('#comments', 'from a phone');
  await page.click('button[value=approved]');
  const outcome = await page.textContent('main');
  return { found, word, afterEnter, stillThere, outcome, address: page.url() };
}
