import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileScripts, inWorker } from './hostile-table.ts';
import { leftOver, ownRunsFolder } from './left-over.ts';
import { page, serve, startSynthetic } from './start-synthetic.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** Address that no check may reach. The only private address that these tests allow is 127.0.0.1. */
const INSIDE = '127.0.0.2';
const reached: string[] = [];
const place = { port: 0, target: '' };
const checks: Awaited<ReturnType<typeof startSynthetic>>[] = [];

beforeAll(async () => {
  ownRunsFolder();
  checks.push(await startSynthetic());
  const inside = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.setHeader('access-control-allow-origin', '*').end('inside');
  });
  inside.on('upgrade', (request, socket) => {
    reached.push(`websocket ${request.url}`);
    socket.destroy();
  });
  const datagrams = createSocket('udp4', () => reached.push('datagram'));
  inside.listen(0, INSIDE);
  await once(inside, 'listening');
  const address = inside.address();
  place.port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  datagrams.bind(place.port, INSIDE);
  await once(datagrams, 'listening');
  stack.defer(() => {
    inside.closeAllConnections();
    inside.close();
    datagrams.close();
  });
  const target = await serve((request, response) => {
    if (request.url === '/away')
      return response.writeHead(302, { location: `http://${INSIDE}:${place.port}/redirected` }).end();
    if (request.url === '/worker.js') {
      response.setHeader('content-type', 'text/javascript');
      return response.end(`fetch('http://${INSIDE}:${place.port}/worker', { mode: 'no-cors' })`);
    }
    return page('<!doctype html><title>Target</title><p>Hello')(request, response);
  });
  place.target = target.url;
}, 180_000);

function run(script: string, timeoutMs?: number) {
  const filled = script.replaceAll('SITE', place.target).replaceAll('INSIDE', `${INSIDE}:${place.port}`);
  return checks[0]?.run(filled, timeoutMs);
}

const LIMIT = { timeout: 90_000 };

test.concurrent.each(hostileScripts)(
  'the result of a script that %s has the outcome and the error that hostileScripts lists',
  LIMIT,
  async (_, script, outcome, error) => {
    const filled = error.replaceAll('INSIDE', `${INSIDE}:${place.port}`).replaceAll('SITE', place.target);
    const seen = await run(script);
    expect(seen).toMatchObject({ outcome, error: expect.stringContaining(filled) });
  },
);

test.concurrent('an endless script times out', LIMIT, async () => {
  expect(await run('for (;;);', 2_000)).toMatchObject({ outcome: 'timeout', error: 'not done within 2000 ms' });
});

test.concurrent('a worker that exits does not end the script', LIMIT, async () => {
  const seen =
    await run(`const url = URL.createObjectURL(new Blob(['postMessage(1); Deno.exit(0)'], { type: 'text/javascript' }));
const worker = new Worker(url, { type: 'module' });
await new Promise((resolve) => { worker.onmessage = resolve; });
await page.goto('SITE/');`);
  expect(seen).toMatchObject({ outcome: 'pass', error: '' });
});

test.concurrent('an endless script in a page times out', LIMIT, async () => {
  expect(await run(`await page.evaluate('for (;;);')`, 3_000)).toMatchObject({
    outcome: 'timeout',
    error: 'not done within 3000 ms, waiting for page.evaluate (line 1, column 12)',
  });
});

test.concurrent('forged protocol messages have no effect', LIMIT, async () => {
  const forged = [
    { call: 900, method: 'page.goto', target: 1, args: ['file:///etc/passwd'] },
    { call: 901, method: 'page.constructor', target: 1, args: ['return process'] },
    { call: 902, method: 'page.__proto__', target: 1, args: [] },
    { call: 903, method: 'browser.newContext', args: [] },
    { call: 904, method: 'locator.evaluate', target: 1, chain: [['constructor', 'x']], args: ['x'] },
    { call: 905, method: 'page.screenshot', target: 1, args: [{ path: '/tmp/tocsin-hostile' }] },
    { reply: 1, value: 'x' },
    { start: {} },
    { step: { name: {} } },
    { done: 7 },
    [],
    null,
    'x',
  ];
  const lines = [...forged.map((line) => JSON.stringify(line)), '{"call":', '\u0000']
    .map((line) => `${line}\n`)
    .join('');
  const writing = `Deno.stdout.writeSync(new TextEncoder().encode(${JSON.stringify(lines)}))`;
  const seen = await run(`${inWorker(writing).replace('throw new Error', 'console.log')}
await page.goto('SITE/');
expect(page.url()).toBe('SITE/');
expect(await context.pages()).toHaveLength(1);`);
  expect(seen).toMatchObject({ outcome: 'pass', error: '', run: { log: [String(Buffer.byteLength(lines))] } });
});

test.concurrent('a script that modifies the prototypes of its runtime gains no access', LIMIT, async () => {
  const seen = await run(
    `Object.prototype.path = '/etc/passwd';
Object.prototype.toJSON = () => ({ call: 1, method: 'page.goto', target: 1, args: ['file:///etc/passwd'] });
await page.goto('SITE/');`,
    5_000,
  );
  expect(['fail', 'timeout']).toContain(seen?.outcome);
  expect(JSON.stringify(seen)).not.toContain('root:');
});

test.concurrent('excessive output of a script is cut off', LIMIT, async () => {
  const seen = await run(`for (let line = 0; line < 50_000; line += 1) console.log('x'.repeat(100));`);
  expect(seen).toMatchObject({ outcome: 'pass' });
  expect(seen?.run?.log.length).toBe(201);
  expect(seen?.run?.log.at(-1)).toBe('… the rest of the log was dropped');
});

test.concurrent("characters that can't be stored or printed are replaced in the report", LIMIT, async () => {
  const seen = await run(`console.log('a\\0b\\x1b[2J\\ud800c');
await step('\\0', () => {});
throw new Error('\\0\\ud800');`);
  expect(seen).toMatchObject({
    outcome: 'fail',
    error: expect.stringMatching(/^\ufffd\ufffd \(line 3/),
    run: { log: ['a\ufffdb\ufffd[2J\ufffdc'], steps: [{ name: '\ufffd' }] },
  });
});

test.concurrent('forged calls with the same id are counted separately', LIMIT, async () => {
  const line = JSON.stringify({ call: 7, method: 'page.waitForTimeout', target: 1, args: [30_000] });
  const writing = `Deno.stdout.writeSync(new TextEncoder().encode(${JSON.stringify(`${line}\n`.repeat(60))}))`;
  expect(
    await run(`${inWorker(writing).replace('throw new Error', 'console.log')}
await new Promise(() => {});`),
  ).toMatchObject({
    outcome: 'fail',
    error: 'the script had more than 50 calls under way at once',
  });
});

test.concurrent('a page that opens endless windows ends the check', LIMIT, async () => {
  const seen = await run(`await page.goto('SITE/');
await page.evaluate(() => { for (let n = 0; n < 200; n += 1) window.open('about:blank'); });
await page.waitForTimeout(10_000);`);
  expect(seen).toMatchObject({ outcome: 'fail', error: 'the pages of the script opened more than 5 pages' });
});

test.concurrent('a script that keeps starting workers with endless loops is stopped', LIMIT, async () => {
  const seen = await run(
    `const url = URL.createObjectURL(new Blob(['for (;;);'], { type: 'text/javascript' }));
for (;;) { new Worker(url, { type: 'module' }); await new Promise((resolve) => setTimeout(resolve)); }`,
    3_000,
  );
  expect(seen?.error).toMatch(/^(not done within 3000 ms|the script used more than 320 MB of memory)/);
});

test.concurrent('a page that fills memory ends the check', LIMIT, async () => {
  const seen = await run(`await page.goto('SITE/');
await page.evaluate(() => { const all = []; for (;;) all.push(new Uint8Array(5e7).fill(1)); });`);
  expect(seen?.outcome).toBe('fail');
  expect(seen?.error).toMatch(
    /used more than 1024 MB of memory|page crashed|Target crashed|Array buffer allocation failed/,
  );
});

test.concurrent('no page can reach a private address', LIMIT, async () => {
  const seen = await run(`await page.goto('SITE/');
const answers = await page.evaluate(async (inside) => {
  const tried = (work) => Promise.race([work, new Promise((_, reject) => setTimeout(reject, 2000, 'late'))]).then(() => 'reached', () => 'not reached');
  const loaded = (element) => new Promise((resolve, reject) => {
    element.onload = resolve; element.onerror = reject; document.body.append(element);
  });
  const socket = new WebSocket('ws://' + inside + '/socket');
  const image = Object.assign(new Image(), { src: 'http://' + inside + '/image' });
  await navigator.serviceWorker.register('/worker.js').catch(() => undefined);
  new Worker('/worker.js');
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + inside }] });
  peer.createDataChannel('x');
  await peer.setLocalDescription(await peer.createOffer());
  navigator.sendBeacon('http://' + inside + '/beacon', 'x');
  const frame = Object.assign(document.createElement('iframe'), { src: 'http://' + inside + '/frame' });
  document.body.append(frame);
  return Promise.all([
    tried(fetch('http://' + inside + '/fetch', { mode: 'no-cors' })),
    tried(fetch('/away', { mode: 'no-cors' })),
    tried(fetch('http://[::ffff:127.0.0.2]:' + inside.split(':')[1] + '/mapped', { mode: 'no-cors' })),
    tried(fetch('http://169.254.169.254/', { mode: 'no-cors' })),
    tried(new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = reject; })),
    tried(loaded(image)),
  ]);
}, 'INSIDE');
expect(answers).toEqual(Array(6).fill('not reached'));
await page.evaluate(() => { location.href = 'file:///etc/passwd'; });
await page.waitForTimeout(500);
expect(page.url()).toBe('SITE/');`);
  expect(seen).toMatchObject({ error: '', outcome: 'pass' });
});

test(
  'after all hostile scripts, no private address was reached, no process is left, and a valid script passes',
  LIMIT,
  async () => {
    expect(await run(`await page.goto('SITE/'); await expect(page).toHaveTitle('Target');`)).toMatchObject({
      outcome: 'pass',
    });
    expect(reached).toEqual([]);
    await eventually(async () => expect(leftOver()).toEqual([]));
  },
);
