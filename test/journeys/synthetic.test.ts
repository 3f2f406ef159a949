import { createServer } from 'node:http';
import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';

const PASSWORD = 'Canary "0f8f" & ünd';
const PAGE = '<!doctype html><title>Shop</title><h1>Closed</h1><p>We moved.</p>';

const stack = new AsyncDisposableStack();
let network: Network;
let target = '';
beforeAll(async () => {
  const TOCSIN_CHROMIUM = await installChromium(process.env);
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(PAGE));
  target = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}/`;
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  network = stack.use(await startNetwork({ TOCSIN_CHROMIUM }));
}, 240_000);
afterAll(() => stack.disposeAsync());

interface Run {
  readonly results: readonly {
    readonly outcome: string;
    readonly error: string | null;
    readonly script?: {
      readonly steps: readonly object[];
      readonly log: readonly string[];
      readonly location: object | null;
      readonly screenshot_url: string | null;
    };
  }[];
}

async function resultOf(script: string) {
  const monitor = await network.api.post<{ id: string }>('/monitors', {
    name: 'Shop',
    check_type: 'synthetic',
    interval_seconds: 300,
    timeout_ms: 20_000,
    config: { script },
    secrets: { PASSWORD },
    alert_channel_ids: [],
  });
  return eventually(
    async () => {
      const [run] = await network.api.get<Run[]>(`/monitors/${monitor.id}/runs`);
      const result = run?.results[0];
      if (!result) throw new Error('no run yet');
      return { id: monitor.id, ...result };
    },
    { timeoutMs: 60_000 },
  );
}

test('the result of a failing script has the location, the steps and a screenshot, but no secrets', {
  timeout: 300_000,
}, async () => {
  const result =
    await resultOf(`await step('open', () => page.goto('${target}?user=ada&password=' + encodeURIComponent(secrets.PASSWORD)));
console.log('at', page.url(), { password: secrets.PASSWORD });
await step('look for ' + secrets.PASSWORD, async () => {
  await expect(page.getByRole('heading')).toHaveText('Open since ' + secrets.PASSWORD, { timeout: 300 });
});`);
  expect(result).toMatchObject({
    outcome: 'fail',
    error: expect.stringContaining(
      'expected getByRole("heading") to have text "Open since {{PASSWORD}}", but found "Closed"',
    ),
    script: {
      steps: [
        { name: 'open', passed: true },
        { name: 'look for {{PASSWORD}}', passed: false },
      ],
      log: [`at ${target}?user=ada&password={{PASSWORD}} {"password":"{{PASSWORD}}"}`],
      location: { line: 4, column: 9 },
    },
  });
  expect(JSON.stringify(result)).not.toContain('0f8f');

  const url = result.script?.screenshot_url ?? '';
  const headers = { authorization: `Bearer ${network.installation.bootstrap.api_key}` };
  const response = await fetch(url, { headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  const image = Buffer.from(await response.arrayBuffer());
  expect(sizeOf(image)).toEqual({ width: 1280, height: 720 });
  expect((await fetch(url)).status).toBe(401);
});

test('the result of a passing script has the steps, but no screenshot', { timeout: 300_000 }, async () => {
  const script = `await step('open', () => page.goto('${target}'));
await expect(page).toHaveTitle('Shop');`;
  expect(await resultOf(script)).toMatchObject({
    outcome: 'pass',
    error: null,
    script: { steps: [{ name: 'open', passed: true }], log: [], location: null, screenshot_url: null },
  });
});

/** Reads the size of an image from the frame header of a baseline JPEG (ITU T.81 §B.2.2). */
function sizeOf(image: Buffer): { width: number; height: number } | undefined {
  for (let at = 2; at + 9 < image.length; at += 2 + image.readUInt16BE(at + 2)) {
    const marker = image.readUInt16BE(at);
    if (marker >= 0xffc0 && marker <= 0xffc2)
      return { height: image.readUInt16BE(at + 5), width: image.readUInt16BE(at + 7) };
  }
  return undefined;
}
