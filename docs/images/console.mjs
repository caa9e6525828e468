// Photographs the console; run by make_console.py through tests/browser/run.mjs.

export default async function run({ tab, told, base, PHONE, DESKTOP }) {
  const wide = { width: 1200, height: 860 };
  const looks = [[wide, 'light', 'desktop'], [PHONE, 'dark', 'phone-dark']];
  for (const [size, colours, look] of looks) {
    const page = await tab({ size: size ?? DESKTOP, colours });
    await page.context().addCookies([{ name: 'stepsmith-as', value: encodeURIComponent(told.person), url: base }]);
    for (const [name, path] of Object.entries(told.pages)) {
      await page.goto('/#/nowhere'); // each picture of a page that was just opened
      await page.goto(path);
      await page.locator('#main h1').waitFor();
      await page.waitForTimeout(600);
      await page.screenshot({ path: `${told.folder}/console-${name}-${look}.png` });
    }
  }
  return null;
}
