import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import { slowBodies } from './slow-bodies.ts';
import { startLongRedirect, startManyHeaders, startSilentServer } from './targets.ts';
import type { World } from './world.ts';

/** An attack that runs until the signal of `world` aborts. It calls `ready` when it has begun. */
export type Attack = (world: World, ready: () => void) => Promise<void>;

interface Created {
  readonly id: string;
}

/** Text slightly below the maximum size of a config, 128 KB. */
const FAT = 'j'.repeat(120_000);

/** Length of the host name in the `Location` header of redirects. */
const HOST_LETTERS = 15_000;

/** Maximum number of monitors that one request can create. */
const BATCH = 200;

const LONGEST_TIMEOUT_MS = 60_000;

const PREPARATION = { timeoutMs: 60_000, intervalMs: 500 };

const httpMonitor = (name: string, url: string, more: object = {}) => ({
  name,
  check_type: 'http',
  interval_seconds: 30,
  confirm_down_minutes: 0,
  alert_channel_ids: [],
  config: { url },
  ...more,
});

/** Creates a resource for an attack, with retries because the machine may be busy. */
async function create(world: World, path: string, body: object): Promise<string> {
  return (await eventually(() => world.api.post<Created>(path, body), PREPARATION)).id;
}

/** Creates several resources and returns their ids. */
function createAll(world: World, path: string, count: number, body: (index: number) => object): Promise<string[]> {
  return Promise.all(Array.from({ length: Math.ceil(count) }, (_, index) => create(world, path, body(index))));
}

/** Attacks by one hostile organization on all others, keyed by name. */
export const attacks: Readonly<Record<string, Attack>> = {
  async 'fat events'(world, ready) {
    const url = await startLongRedirect(world.stack, HOST_LETTERS);
    const id = await create(world, '/disruptions', { title: 'Fat', started_at: new Date().toISOString() });
    ready();
    await world.repeat(2, (turn) =>
      turn % 2 === 0
        ? world.api.send('POST', '/api/v1/monitors', httpMonitor(`Fat ${turn}`, url, { config: { url, junk: FAT } }))
        : world.api.send('PATCH', `/api/v1/disruptions/${id}`, { message: '\u{1f600}'.repeat(10_000) }),
    );
  },

  async 'JetStream flood'(world, ready) {
    const id = await create(world, '/monitors', httpMonitor('Flood', 'http://127.0.0.1:1/', { enabled: false }));
    ready();
    await world.repeat(4, (turn) =>
      world.api.send('PATCH', `/api/v1/monitors/${id}`, {
        config: { url: 'http://127.0.0.1:1/', junk: `${turn}${FAT}` },
      }),
    );
  },

  async 'quadratic masking'(world, ready) {
    const url = await startLongRedirect(world.stack, HOST_LETTERS);
    const names = Array.from({ length: 8 }, (_, index) => `S${index}`);
    const secrets = Object.fromEntries(
      names.map((name, index) => [name, `${'a'.repeat(9 + index)}b${'a'.repeat(7_900)}`]),
    );
    const headers = Object.fromEntries(names.slice(0, 3).map((name) => [`x-${name}`, `{{${name}}}`]));
    const id = await create(world, '/monitors', httpMonitor('Mask', url, { secrets, config: { url, headers } }));
    ready();
    await world.repeat(3, () => world.api.send('POST', `/api/v1/monitors/${id}/check`));
  },

  async 'array bombs'(world, ready) {
    const id = await create(world, '/status-pages', { name: 'Bombs', slug: `bombs-${Date.now()}` });
    const zeros = (count: number) => `[${Array(count).fill('0').join(',')}]`;
    const bombs = [
      ['PUT', `/status-pages/${id}/structure`, `{"components":${zeros(100_000)}}`],
      ['PUT', `/status-pages/${id}/structure`, `{"components":${zeros(490_000)}}`],
      ['POST', '/monitors', `{"alert_channel_ids":${zeros(100_000)}}`],
      ['POST', '/webhooks', `{"events":${zeros(499_000)}}`],
      ['POST', '/api-keys', `{"permissions":[${Array(80_000).fill('""').join(',')}]}`],
    ] as const;
    ready();
    await world.repeat(2, (turn) => {
      const [method, path, body] = bombs[turn % bombs.length] ?? bombs[0];
      return world.api.send(method, `/api/v1${path}`, body);
    });
  },

  async 'hanging checks'(world, ready) {
    const url = await startSilentServer(world.stack);
    await createAll(world, '/monitors', 260 * world.order.size, (index) =>
      httpMonitor(`Hangs ${index}`, url, { timeout_ms: LONGEST_TIMEOUT_MS }),
    );
    ready();
    await untilStopped(world);
  },

  async 'many headers'(world, ready) {
    const urls = [await startManyHeaders(world.stack, 0), await startManyHeaders(world.stack, 20)];
    const ids = await createAll(world, '/monitors', 100 * world.order.size, (index) =>
      httpMonitor(`Headers ${index}`, urls[index % urls.length] ?? ''),
    );
    ready();
    await world.repeat(3, (turn) => world.api.send('POST', `/api/v1/monitors/${ids[turn % ids.length]}/check`));
  },

  async 'hanging scripts'(world, ready) {
    const config = { script: 'await new Promise(() => {});' };
    await createAll(world, '/monitors', 6, (index) => ({
      name: `Script ${index}`,
      check_type: 'synthetic',
      config,
      alert_channel_ids: [],
      interval_seconds: 30,
      timeout_ms: LONGEST_TIMEOUT_MS,
    }));
    ready();
    await untilStopped(world);
  },

  async 'silent name server'(world, ready) {
    const host = (index: number) => `n${index}.${world.order.silentDomain}`;
    const channels = await createAll(world, '/alert-channels', 8, (index) => ({
      name: `Silent ${index}`,
      type: 'webhook',
      config: { url: `https://${host(index)}/` },
    }));
    await createAll(world, '/monitors', 30 * world.order.size, (index) =>
      httpMonitor(`Silent ${index}`, `http://${host(index)}/`, { timeout_ms: LONGEST_TIMEOUT_MS }),
    );
    ready();
    await world.repeat(channels.length, (turn) =>
      world.api.send('POST', `/api/v1/alert-channels/${channels[turn % channels.length]}/test`),
    );
  },

  async 'hanging receivers'(world, ready) {
    const url = await startSilentServer(world.stack);
    const channels = await createAll(world, '/alert-channels', 10, (index) => ({
      name: `Hangs ${index}`,
      type: 'webhook',
      config: { url: `${url}/${index}` },
    }));
    const monitors = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        eventually(
          () =>
            world.api.post<{ heartbeat_url: string }>('/monitors', {
              name: `Job ${index}`,
              check_type: 'heartbeat',
              interval_seconds: 30,
              alert_channel_ids: channels,
              confirm_down_minutes: 0,
              confirm_up_minutes: 0,
            }),
          PREPARATION,
        ),
      ),
    );
    const ping = (turn: number, ending: string) => {
      const path = new URL(monitors[turn % monitors.length]?.heartbeat_url ?? '').pathname;
      return world.api.send('POST', `${path}${ending}`);
    };
    await Promise.all(monitors.map((_, index) => ping(index, '/fail')));
    ready();
    // Every second ping makes the monitor go down and recover, which causes two alerts for each channel.
    await world.repeat(2, (turn) => ping(Math.floor(turn / 2), turn % 2 === 0 ? '' : '/fail'));
  },

  async 'mass outage'(world, ready) {
    const channels = await createAll(world, '/alert-channels', 5, (index) => ({
      name: `Discarded ${index}`,
      type: 'webhook',
      config: { url: 'http://127.0.0.1:1/' },
    }));
    const paths: string[] = [];
    for (let group = 0; group < 10 * world.order.size; group += 1) {
      const monitors = Array.from({ length: BATCH }, (_, index) => ({
        name: `Job ${group}-${index}`,
        check_type: 'heartbeat',
        interval_seconds: 30,
        alert_channel_ids: channels,
        confirm_down_minutes: 0,
        confirm_up_minutes: 0,
      }));
      const created = await eventually(
        () => world.api.post<{ heartbeat_url: string }[]>('/monitors/batch', { monitors }),
        PREPARATION,
      );
      paths.push(...created.map(({ heartbeat_url }) => new URL(heartbeat_url).pathname));
    }
    ready();
    // All monitors go down, and then all of them recover.
    await world.repeat(40, (turn) => {
      const ending = Math.floor(turn / paths.length) % 2 === 0 ? '/fail' : '';
      return world.api.send('POST', `${paths[turn % paths.length]}${ending}`);
    });
  },

  async 'key minting'(world, ready) {
    const monitor = await create(world, '/monitors', httpMonitor('Minted', 'http://127.0.0.1:1/', { enabled: false }));
    const keys: string[] = [world.order.apiKey];
    ready();
    await world.repeat(6, async (turn) => {
      if (turn % 6 === 0) {
        const made = await world.api.send('POST', '/api/v1/api-keys', {
          name: `Key ${turn}`,
          permissions: ['monitors:read_write', 'api_keys:read_write'],
        });
        const { data } = made.body as { data?: { key: string } };
        if (data) keys.push(data.key);
        return made;
      }
      return world.api.send(
        'PATCH',
        `/api/v1/monitors/${monitor}`,
        { name: `Minted ${turn}` },
        { authorization: `Bearer ${keys[turn % keys.length]}` },
      );
    });
  },

  async 'page flood'(world, ready) {
    const slug = `flood-${Date.now()}`;
    const id = await create(world, '/status-pages', { name: 'Flood', slug, enabled: true });
    await world.api.put(`/status-pages/${id}/structure`, {
      components: Array.from({ length: 100 }, (_, index) => ({ type: 'component', name: `Component ${index}` })),
    });
    ready();
    await world.repeat(20, (turn) => visit(world, turn % 2 === 0 ? `/s/${slug}` : `/s/unknown-${turn}`));
  },

  'slow bodies': slowBodies,
};

/**
 * Source address of the flood. It differs from the addresses of visitors, because the rate limit is per address. On
 * Linux, a process can send from any address in 127.0.0.0/8.
 */
const FLOOD_ADDRESS = '127.0.0.66';

/** Requests a page from the source address of the flood. */
function visit({ order }: World, path: string): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    get(new URL(path, order.baseUrl), { localAddress: FLOOD_ADDRESS, headers: { accept: 'text/html' } }, (response) => {
      response.resume().once('end', () => resolve({ status: response.statusCode ?? 0 }));
    }).once('error', reject);
  });
}

async function untilStopped({ signal }: World): Promise<void> {
  while (!signal.aborted) await sleep(100);
}
