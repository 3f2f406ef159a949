import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '@tocsin/runtime';
import pg from 'pg';
import type { Network } from '../network.ts';

const CHANNELS = 100;
const WARM_UP = 1_000;
const TIMEOUT_MS = 120_000;

/**
 * Measures how many alerts per second reach 100 healthy receivers of one organization while `count` deliveries wait,
 * and how many milliseconds of processor time the notifier uses per alert. The deliveries are inserted into the
 * database, so only the notifier is measured. Throws if an alert is lost.
 */
export async function timeDrain({ api, installation }: Network, count: number): Promise<Record<string, string>> {
  await using stack = new AsyncDisposableStack();
  const received = new Set<string>();
  const server = createServer((request, response) => {
    received.add(String(request.headers['webhook-id']));
    request.resume().once('end', () => response.end('ok'));
  });
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const ids: string[] = [];
  for (let n = 0; n < CHANNELS; n += 1) {
    const config = { url: `http://127.0.0.1:${port}/${n}` };
    ids.push((await api.post<{ id: string }>('/alert-channels', { name: `Drain ${n}`, type: 'webhook', config })).id);
  }
  const database = new pg.Client({ connectionString: installation.postgres?.url, options: '-c search_path=notifier' });
  await database.connect();
  stack.defer(() => database.end());
  const cpuOf = () => cpuSeconds(installation.bootstrap.admin.notifier ?? '');
  const drain = async (deliveries: number) => {
    await insertDue(database, ids, deliveries);
    received.clear();
    const cpu = await cpuOf();
    const start = performance.now();
    await database.query(`select pg_notify('tocsin_deliveries_notifier', '')`);
    while (received.size < deliveries) {
      if (performance.now() - start > TIMEOUT_MS) throw new Error(`${deliveries - received.size} alerts are missing`);
      await delay(10);
    }
    const seconds = (performance.now() - start) / 1000;
    return { perSecond: deliveries / seconds, cpuMs: (((await cpuOf()) - cpu) * 1000) / deliveries };
  };
  await drain(WARM_UP);
  const { perSecond, cpuMs } = await drain(count);
  return { 'alerts /s': perSecond.toFixed(0), 'ms of processor': cpuMs.toFixed(2) };
}

/**
 * Inserts `count` due deliveries of different monitors, evenly distributed over the channels. One statement inserts all
 * of them, and does not wake the notifier.
 */
async function insertDue(database: pg.Client, channelIds: readonly string[], count: number): Promise<void> {
  await database.query(
    `with a as (
       insert into alert (id, organization_id, event_id, kind, monitor_id, monitor_name, monitor_url, at, error, occurred_at)
       select gen_random_uuid(), organization_id, gen_random_uuid(), 'monitor_down', gen_random_uuid(), 'Job', '', now(),
         'status 502, expected 200', now()
       from channel, generate_series(1, $2::integer) where channel.id = ($1::uuid[])[1]
       returning id, organization_id, monitor_id
     )
     insert into delivery (id, organization_id, resource_id, alert_id, channel_id, status, next_attempt_at, created_at)
     select gen_random_uuid(), organization_id, monitor_id, id,
       ($1::uuid[])[1 + row_number() over () % cardinality($1::uuid[])], 'pending', now(), now()
     from a`,
    [channelIds, count],
  );
}

async function cpuSeconds(admin: string): Promise<number> {
  const text = await (await fetch(`http://${admin}/metrics`)).text();
  return Number(/^process_cpu_seconds_total(?:\{.*\})? (\S+)$/m.exec(text)?.[1]);
}
