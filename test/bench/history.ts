import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase, prepareServiceDatabase } from '@tocsin/database';
import { pickFreePort } from '@tocsin/dev-servers/ports';
import { startPostgres } from '@tocsin/dev-servers/postgres';
import { removePostgresHome } from '@tocsin/dev-servers/postgres-home';
import { pagingOf } from '@tocsin/paging';
import { createRuntime } from '@tocsin/runtime';
import { createVault, generateVaultKey, parseVaultKeys } from '@tocsin/vault';
import { getCertificate } from '../../services/monitor/src/app/certificates/get-certificate.ts';
import { getResponseTimes, getUptime } from '../../services/monitor/src/app/history/get-statistics.ts';
import { listRuns } from '../../services/monitor/src/app/history/list-runs.ts';
import { listTransitions } from '../../services/monitor/src/app/history/list-transitions.ts';
import { listMonitors } from '../../services/monitor/src/app/monitors/list-monitors.ts';
import type { Deps } from '../../services/monitor/src/app/ports.ts';
import { migrations } from '../../services/monitor/src/storage/migrations/index.ts';
import { entities } from '../../services/monitor/src/storage/monitors/monitor-entity.ts';
import { insertResults } from '../../services/monitor/src/storage/rounds/result-store.ts';
import { DAYS, INTERVAL_SECONDS, type Loaded, loadHistory, REGIONS } from './history-data.ts';

const ASKED = 300;
const BATCH = 500;
const BATCHES = 40;

/**
 * Measures statistics queries over 90 days for `monitors` monitors, for 10 times as many, and for 100 times as many,
 * each with an interval of 30 seconds in three regions. For comparison, also counts the individual results of a day.
 * Also measures the cost of writing, counting and storing results.
 */
export async function benchHistory(monitors: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'));
  // PostgreSQL may run as another user, which needs access to the folder.
  await chmod(folder, 0o711);
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'postgres');
  stack.defer(() => removePostgresHome(dataDir));
  const postgres = stack.use(
    await startPostgres({ dataDir, port: await pickFreePort(), log: join(folder, 'postgres.log') }),
  );
  const queries: Record<string, Record<string, string>> = {};
  const costs: Record<string, Record<string, string>> = {};
  for (const factor of [1, 10, 100]) {
    const schema = `history_${factor}`;
    const owner = { name: `${schema}_owner`, password: 'secret' };
    const runtime = { name: schema, password: 'secret' };
    const urls = await prepareServiceDatabase(postgres.url, { schema, owner, runtime });
    await using database = await openDatabase({ ...urls, entities, migrations });
    const now = new Date();
    const began = performance.now();
    const loaded = await loadHistory(database, monitors * factor, now);
    const setUp = ((performance.now() - began) / 1000).toFixed(0);
    const row = `${monitors * factor} monitors`;
    queries[row] = await timeQueries(depsOf(database, now), loaded);
    costs[row] = {
      'set-up s': setUp,
      ...(await sizes(database, loaded)),
      ...(await timeWrites(database, loaded, now)),
    };
  }
  process.stdout.write(
    'Milliseconds per response, p50 / p99, and how many times faster than counting the results of 24 h\n',
  );
  console.table(queries);
  process.stdout.write('What results cost\n');
  console.table(costs);
}

function depsOf(database: Database, now: Date): Deps {
  const none = async () => [];
  return {
    database,
    regions: REGIONS,
    now: () => now,
    readClock: async () => now,
    logger: createRuntime('monitor', { logLevel: 'warn' }).logger,
    vault: createVault(parseVaultKeys(generateVaultKey('bench'))),
    channels: { existing: none, defaults: none },
    components: { monitorsOf: none },
    checkers: { send: async () => undefined, ask: none },
  };
}

async function timeQueries(deps: Deps, { organizationId, monitorIds }: Loaded): Promise<Record<string, string>> {
  const since = new Date(deps.now().getTime() - 86_400_000);
  const naive = await quantiles(monitorIds, (monitorId) =>
    deps.database.transaction({ organizationId }, (tx) =>
      tx.query(
        `select region, outcome, count(*), percentile_disc(0.95) within group (order by total_ms) from check_result
         where monitor_id = $1 and round_at >= $2 group by region, outcome`,
        [monitorId, since],
      ),
    ),
  );
  const cells: Record<string, string> = { 'counting 24h': `${naive.p50.toFixed(1)} / ${naive.p99.toFixed(1)}` };
  const time = async (name: string, ask: (monitorId: string) => Promise<unknown>) => {
    const { p50, p99 } = await quantiles(monitorIds, ask);
    cells[name] = `${p50.toFixed(1)} / ${p99.toFixed(1)} (${(naive.p50 / p50).toFixed(1)}x)`;
  };
  for (const [range, rangeHours] of Object.entries({ '1h': 1, '24h': 24, '90d': 2_160 })) {
    await time(`uptime ${range}`, (monitorId) => getUptime(deps, organizationId, { monitorId, rangeHours }));
    await time(`response-times ${range}`, (monitorId) =>
      getResponseTimes(deps, organizationId, { monitorId, rangeHours }),
    );
  }
  const paging = pagingOf(50, '');
  await time('50 transitions', (monitorId) => listTransitions(deps, organizationId, { monitorId, paging }));
  await time('cert', (monitorId) => getCertificate(deps, organizationId, monitorId));
  await time('50 monitors', () => listMonitors(deps, organizationId, { filter: {}, paging }));
  await time('1000 monitors', () => listMonitors(deps, organizationId, { filter: {}, paging: pagingOf(0, '') }));
  await time('50 runs', (monitorId) => listRuns(deps, organizationId, { monitorId, limit: 50, cursor: undefined }));
  return cells;
}

async function quantiles(monitorIds: readonly string[], ask: (monitorId: string) => Promise<unknown>) {
  const times: number[] = [];
  for (let index = 0; index < ASKED; index += 1) {
    const id = monitorIds[Math.floor(Math.random() * monitorIds.length)] ?? '';
    const began = performance.now();
    await ask(id);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const quantile = (q: number) => times[Math.floor(times.length * q)] ?? 0;
  return { p50: quantile(0.5), p99: quantile(0.99) };
}

/** Returns the sizes of the tables, including indexes. */
async function sizes(database: Database, { results, monitorIds }: Loaded): Promise<Record<string, string>> {
  const megabytes = async (table: string) => {
    const [row] = await database.transaction('every organization', (tx) =>
      tx.query<{ bytes: number }>(
        'select sum(pg_total_relation_size(relid)) as bytes from pg_partition_tree($1::regclass)',
        [table],
      ),
    );
    return (row?.bytes ?? 0) / 1e6;
  };
  const perMillion = ((await megabytes('check_result')) / results) * 1e6;
  const millionsADay = (monitorIds.length * REGIONS.length * 86_400) / INTERVAL_SECONDS / 1e6;
  const gigabytes = (days: number) => ((perMillion * millionsADay * days) / 1e3).toFixed(1);
  const counts = (await megabytes('result_hour')) + (await megabytes('result_day'));
  return {
    results: `${(results / 1e6).toFixed(2)} M`,
    'MB per million results': perMillion.toFixed(0),
    // This is calculated from one day, because only some days contain data, and all days have the same size.
    [`GB of ${DAYS} days of results, calculated`]: gigabytes(DAYS),
    'GB if a year were kept': gigabytes(365),
    'MB of counts per monitor and 90 days': (counts / monitorIds.length).toFixed(2),
  };
}

/** Measures how fast results are written, in batches of the size that checkers use, each in a separate transaction. */
async function timeWrites(database: Database, loaded: Loaded, now: Date): Promise<Record<string, string>> {
  const { monitorIds, rollSeconds } = loaded;
  const began = performance.now();
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const results = Array.from({ length: BATCH }, (_, index) => ({
      monitorId: monitorIds[index % monitorIds.length] ?? '',
      roundAt: new Date(now.getTime() + batch + index),
      ...({ region: 'us-east', outcome: 'pass', error: '', statusCode: 200, checkedAt: now } as const),
      phases: { dns: 1, connect: 10, tls: 20, firstByte: 90, total: 100 },
    }));
    await database.transaction('every organization', async (tx) => insertResults(tx, results));
  }
  const written = (BATCH * BATCHES) / ((performance.now() - began) / 1000);
  const hour = (monitorIds.length * REGIONS.length * 3_600) / INTERVAL_SECONDS;
  return { 'written/s': written.toFixed(0), 'counted/s': (hour / rollSeconds).toFixed(0) };
}
