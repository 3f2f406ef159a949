import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readBootstrap } from './bootstrap-file.ts';
import { dataFolderOf } from './data-folder.ts';

const help = `Usage: npm run --silent tour

Shows the whole job in about two minutes, on the installation of a running "npm start": something is monitored, breaks,
turns a status page red, sends an alert, and recovers. Prints each request. What it creates stays, for a look at the page.
`;

const WORKSPACE = join(import.meta.dirname, '../..');

/** Check interval of the monitor. This is the shortest interval that Tocsin allows. */
const INTERVAL_SECONDS = 30;
const POLL_MS = 500;
const TIMEOUT_MS = 90_000;

interface Target extends AsyncDisposable {
  readonly url: string;
  isBroken: boolean;
  readonly alerts: { readonly event: string }[];
}

/** Starts a website that can be broken, and that also receives alerts at `/hook`. */
async function startTarget(): Promise<Target> {
  const alerts: { event: string }[] = [];
  const server: Server = createServer(async (request, response) => {
    if (request.url === '/hook') alerts.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    response.writeHead(target.isBroken && request.url !== '/hook' ? 503 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isBroken: false,
    alerts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return target;
}

/** Sends a request, prints it with the fields `shown` of its response, and returns the response's data. */
type Call = (method: string, path: string, body?: object, ...shown: string[]) => Promise<Record<string, unknown>>;

function caller(baseUrl: string, apiKey: string): Call {
  return async (method, path, body, ...shown) => {
    process.stdout.write(`\n  ${method} /api/v1${path}${body ? ` ${JSON.stringify(body)}` : ''}\n`);
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data, error } = (await response.json()) as { data: Record<string, unknown>; error?: { message: string } };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${error?.message}`);
    const parts = shown.map((field) => `${field}: ${JSON.stringify(data[field])}`);
    process.stdout.write(`  → ${response.status} ${parts.join(', ')}\n`);
    return data;
  };
}

async function until(what: string, isDone: () => Promise<boolean> | boolean): Promise<void> {
  const start = Date.now();
  while (!(await isDone())) {
    if (Date.now() - start > TIMEOUT_MS) throw new Error(`${what} did not happen within ${TIMEOUT_MS / 1000} seconds`);
    await delay(POLL_MS);
  }
  process.stdout.write(`  ✓ ${what} (${((Date.now() - start) / 1000).toFixed(0)} s)\n`);
}

function say(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

async function tour(): Promise<void> {
  const { base_url: baseUrl, api_key: apiKey } = await readBootstrap(dataFolderOf(process.env, WORKSPACE));
  if (!baseUrl || !apiKey) throw new Error('there is no installation yet: run "npm start" in another terminal');
  await using target = await startTarget();
  const call = caller(baseUrl, apiKey);
  const slug = `tour-${Date.now().toString(36)}`;
  const pageShows = async (text: string) => (await (await fetch(`${baseUrl}/s/${slug}`)).text()).includes(text);

  say(`A website runs on ${target.url}. Create a channel for alerts, a monitor, and a status page with a component.`);
  const hook = { url: `${target.url}/hook` };
  const channel = await call(
    'POST',
    '/alert-channels',
    { name: `Hook of ${slug}`, type: 'webhook', config: hook },
    'id',
  );
  const monitor = await call(
    'POST',
    '/monitors',
    {
      name: `Shop of ${slug}`,
      check_type: 'http',
      config: { url: `${target.url}/` },
      interval_seconds: INTERVAL_SECONDS,
      confirm_down_minutes: 0,
      confirm_up_minutes: 0,
      alert_channel_ids: [channel.id],
    },
    'id',
    'current_state',
  );
  const page = await call('POST', '/status-pages', { name: 'Acme status', slug, enabled: true }, 'id', 'url');
  const monitors = [{ monitor_id: monitor.id, down_status: 'major_outage' }];
  await call('PUT', `/status-pages/${page.id}/structure`, {
    components: [{ type: 'component', name: 'Shop', monitors }],
  });
  const reaches = (state: string) => async () => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${baseUrl}/api/v1/monitors/${monitor.id}`, { headers });
    if (!response.ok) throw new Error(`GET /monitors/${monitor.id}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: { current_state: string } }).data.current_state === state;
  };
  await until('the monitor is up', reaches('up'));
  say(`Open ${baseUrl}/s/${slug} in a browser: it changes by itself.`);

  say(`Break the website. The next check is at most ${INTERVAL_SECONDS} seconds away.`);
  target.isBroken = true;
  await until('the monitor is down', reaches('down'));
  await until('an alert arrived at the channel', () => target.alerts.some(({ event }) => event === 'monitor_down'));
  await until('the page shows a major outage', () => pageShows('Major outage'));

  say('Repair it.');
  target.isBroken = false;
  await until('the monitor is up again', reaches('up'));
  await until('the recovery arrived at the channel', () =>
    target.alerts.some(({ event }) => event === 'monitor_recovered'),
  );
  await until('the page is calm again', () => pageShows('All systems operational'));
  await call('GET', `/monitors/${monitor.id}/uptime?range=1h`, undefined, 'uptime_pct', 'distribution');
  say(`The page with its history is at ${baseUrl}/s/${slug}, the API reference at ${baseUrl}/docs.`);
}

if (process.argv.includes('--help')) process.stdout.write(help);
else {
  try {
    await tour();
  } catch (error) {
    process.stderr.write(`The tour stopped: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
