import { freePort } from '@tocsin/testing';
import { beforeAll, expect, test } from 'vitest';
import { startShop } from './shop.ts';
import { SECRET, startSynthetic } from './start-synthetic.ts';

const checks: Awaited<ReturnType<typeof startSynthetic>>[] = [];
const shops: Awaited<ReturnType<typeof startShop>>[] = [];
beforeAll(async () => {
  checks.push(await startSynthetic());
  shops.push(await startShop());
}, 180_000);

const run = (script: string, timeoutMs?: number) =>
  checks[0]?.run(script.replaceAll('SHOP', shops[0]?.url ?? ''), timeoutMs);

test('a script that logs in and visits pages passes, and its steps and log are recorded', {
  timeout: 120_000,
}, async () => {
  const seen = await run(`
    import { test, expect } from '@playwright/test';
    await step('log in', async () => {
      await page.goto('SHOP/');
      await expect(page).toHaveTitle('Log in');
      await page.getByPlaceholder('you@example.com').fill('ada@example.com');
      await page.getByLabel('Password').fill(secrets.PASSWORD);
      await page.getByRole('checkbox').check();
      await page.locator('select').selectOption({ label: 'Germany' });
      await expect(page.getByLabel('Password')).toHaveValue(secrets.PASSWORD);
      const answered = page.waitForResponse('**/api/total');
      await page.getByTestId('go').click();
      expect((await answered).status()).toBe(200);
      await page.waitForURL(/cart$/);
    });
    await step('look around', async () => {
      await expect(page.getByText('Total')).toHaveText('Total 42');
      await expect(page.getByRole('listitem')).toHaveCount(2);
      await expect(page.getByRole('listitem')).toHaveText(['Tea', /cups/i]);
      await expect(page.locator('li').filter({ hasText: 'Cups' }).first()).toBeVisible();
      await expect(page.getByText('Sold out')).not.toBeVisible();
      expect(page.url()).toContain('/cart');
      expect((await context.cookies()).map(({ name }) => name)).toEqual(['session']);
      expect(await page.evaluate((word: string) => word + document.title, 'My ')).toBe('My Cart');
    });
    const echo = await request.post('SHOP/api/echo', { data: { a: [1] } });
    expect(await echo.json()).toEqual({ a: [1] });
    console.log('done', { at: page.url().length > 0 }, secrets.PASSWORD);
  `);
  expect(seen).toMatchObject({
    outcome: 'pass',
    error: '',
    run: {
      steps: [
        { name: 'log in', passed: true },
        { name: 'look around', passed: true },
      ],
      log: ['done {"at":true} {{PASSWORD}}'],
    },
  });
  expect(seen?.run?.screenshot).toBeUndefined();
});

test('a script in the style of Playwright tests passes', { timeout: 120_000 }, async () => {
  const seen = await run(`import { test, expect } from '@playwright/test';
test('the shop works', async ({ page }) => {
  await page.goto('SHOP/');
  await expect(page.getByRole('heading')).toContainText('Log in');
});`);
  expect(seen).toMatchObject({ outcome: 'pass', run: { steps: [{ name: 'the shop works', passed: true }] } });
});

test('a script that exports its function passes', { timeout: 120_000 }, async () => {
  const script = `export default async ({ page, expect }) => {
    await page.goto('SHOP/');
    await expect(page).toHaveURL('SHOP/');
  };`;
  expect(await run(script)).toMatchObject({ outcome: 'pass' });
});

test('a failure is reported with line, column, steps and a screenshot, and the report does not contain the secret', {
  timeout: 60_000,
}, async () => {
  const seen = await run(`await step('open', () => page.goto('SHOP/'));
await step('log in', async () => {
  await page.getByLabel('Password').fill(secrets.PASSWORD);
  await page.getByTestId('go').click();
  await expect(page.getByRole('heading'), 'after ' + secrets.PASSWORD).toHaveText('Hello', { timeout: 300 });
});`);
  expect(seen).toMatchObject({
    outcome: 'fail',
    error: expect.stringMatching(
      /^after \{\{PASSWORD}}: expected getByRole\("heading"\) to have text "Hello", but found "Wrong password" \(line 5, column \d+\)$/,
    ),
    run: {
      steps: [
        { name: 'open', passed: true },
        { name: 'log in', passed: false },
      ],
      location: { line: 5 },
    },
  });
  expect(JSON.stringify({ ...seen, run: { ...seen?.run, screenshot: '' } })).not.toContain(SECRET);
  const picture = Buffer.from(seen?.run?.screenshot ?? []);
  expect(picture.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  expect(picture.length).toBeLessThanOrEqual(512 * 1024);
});

test('if a text is truncated within a secret, no part of the secret remains', { timeout: 120_000 }, async () => {
  for (const length of [195, 1_990]) {
    const seen = await run(`const long = 'x'.repeat(${length}) + secrets.PASSWORD + 'y'.repeat(5_000);
console.log(long);
expect(1, ${length} > 1_000 ? long : '').toBe(long);`);
    expect(seen).toMatchObject({ outcome: 'fail', error: expect.stringContaining('x'.repeat(190)) });
    expect(JSON.stringify(seen)).not.toContain(SECRET.slice(0, 3));
  }
});

test.each([
  [
    'a mistake in the script',
    `const a = 1;\nawait page.goto(nowhere);`,
    'fail',
    'ReferenceError: nowhere is not defined (line 2, column 17)',
  ],
  ['a syntax error in the script', 'const a = ;', 'fail', 'SyntaxError: Expression expected (line 1, column 11)'],
  [
    'a missing element',
    `await page.goto('SHOP/');\nawait page.getByText('Nothing').click({ timeout: 300 });`,
    'fail',
    "locator.click: Timeout 300ms exceeded, waiting for getByText('Nothing') (line 2, column 33)",
  ],
  [
    'a missing method',
    `page.route('**', () => {});`,
    'fail',
    'TypeError: page.route is not a function (line 1, column 6)',
  ],
  [
    'an unexpected value',
    `expect({ a: 1 }).toEqual({ a: 2 });`,
    'fail',
    'expected {"a":1} to equal {"a":2} (line 1, column 1)',
  ],
  [
    'a timeout',
    `await page.goto('SHOP/');\nawait page.waitForTimeout(30_000);`,
    'timeout',
    'not done within 3000 ms, waiting for page.waitForTimeout (line 2, column 12)',
  ],
])('the error names the cause: %s', { timeout: 120_000 }, async (_, script, outcome, error) => {
  expect(await run(script, outcome === 'timeout' ? 3_000 : undefined)).toMatchObject({ outcome, error });
});

test('the error for an unreachable target contains the cause', { timeout: 120_000 }, async () => {
  const port = await freePort();
  expect(await run(`await page.goto('http://127.0.0.1:${port}/');`)).toMatchObject({
    outcome: 'error',
    error: `page.goto could not load http://127.0.0.1:${port}/: connection refused by 127.0.0.1:${port} (line 1, column 12)`,
  });
});

test('if the browser does not start, the outcome is `unknown`', async () => {
  const broken = await startSynthetic({ chromium: '/bin/false' });
  expect(await broken.run('1')).toMatchObject({
    outcome: 'unknown',
    error: expect.stringMatching(/^the browser did not start/),
  });
});

test('if Chromium is missing, the outcome is `unknown` and the error says how to install it', async () => {
  const without = await startSynthetic({ chromium: undefined });
  expect(await without.run('1')).toMatchObject({
    outcome: 'unknown',
    error: expect.stringContaining('this checker has no Chromium: install it ("npm run chromium"'),
  });
});
