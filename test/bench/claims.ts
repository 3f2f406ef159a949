import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, prepareServiceDatabase, type Transaction } from '@tocsin/database';
import { pickFreePort } from '@tocsin/dev-servers/ports';
import { startPostgres } from '@tocsin/dev-servers/postgres';
import { removePostgresHome } from '@tocsin/dev-servers/postgres-home';

import { claimDeliveries } from '../../services/notifier/src/storage/claim-deliveries.ts';
import { migrations } from '../../services/notifier/src/storage/migrations/index.ts';

const SUBSCRIPTIONS = 100;
const CLAIMS = 200;

/**
 * Measures how many milliseconds the notifier needs to reserve due deliveries for sending (p50 / p99), in an almost
 * empty table and while many deliveries wait for unreachable receivers.
 */
export async function timeClaims(waiting: number): Promise<Record<string, string>> {
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
  const owner = { name: 'owner', password: 'secret' };
  const runtime = { name: 'notifier', password: 'secret' };
  const urls = await prepareServiceDatabase(postgres.url, { schema: 'notifier', owner, runtime });
  await using database = await openDatabase({ ...urls, entities: [], migrations });
  const run = <Result>(work: (tx: Transaction) => Promise<Result>) => database.transaction('every organization', work);

  const measure = async () => {
    const times: number[] = [];
    for (let n = 0; n < CLAIMS; n += 1) {
      await run((tx) => insertDue(tx));
      const start = performance.now();
      const now = new Date();
      const leasedUntil = new Date(now.getTime() + 30_000);
      const claim = { running: [], unrecorded: [], now, leasedUntil, mailLeasedUntil: leasedUntil };
      const claimed = await run((tx) => claimDeliveries(tx, claim));
      times.push(performance.now() - start);
      if (claimed.length !== 1) throw new Error(`${claimed.length} deliveries were claimed, expected 1`);
      await run((tx) => tx.query(`update delivery set status = 'sent' where id = $1`, [claimed[0]?.id]));
    }
    times.sort((a, b) => a - b);
    const quantile = (q: number) => (times[Math.floor(times.length * q)] ?? 0).toFixed(1);
    return `${quantile(0.5)} / ${quantile(0.99)} ms`;
  };

  const empty = await measure();
  await run((tx) => insertWaiting(tx, waiting));
  await run((tx) => tx.query('analyze'));
  return { 'none waiting': empty, 'with the backlog': await measure() };
}

/**
 * Inserts a subscription for each of several organizations, and `count` deliveries that wait for a retry. The
 * deliveries of each organization concern ten monitors.
 */
async function insertWaiting(tx: Transaction, count: number): Promise<void> {
  const ids = Array.from({ length: SUBSCRIPTIONS }, () => randomUUID());
  for (const id of ids) {
    await insertSubscription(tx, id, randomUUID());
    await tx.query(
      `with m as (
         insert into message (id, organization_id, event_id, kind, body, occurred_at)
         select gen_random_uuid(), organization_id, gen_random_uuid(), 'monitor.updated', '{}', now()
         from subscription, generate_series(1, $2) where id = $1 returning id, organization_id
       )
       insert into delivery (id, organization_id, resource_id, message_id, subscription_id, status, attempts,
         next_attempt_at, created_at)
       select gen_random_uuid(), organization_id, ('00000000-0000-7000-8000-00000000000' || (random() * 9)::integer)::uuid,
         id, $1, 'pending', 1, now() + interval '1 day', now() from m`,
      [id, Math.ceil(count / SUBSCRIPTIONS)],
    );
  }
}

/** Inserts one delivery that is due. */
async function insertDue(tx: Transaction): Promise<void> {
  const [subscriptionId, organizationId, messageId] = [randomUUID(), randomUUID(), randomUUID()];
  await insertSubscription(tx, subscriptionId, organizationId);
  await tx.query(
    `insert into message (id, organization_id, event_id, kind, body, occurred_at)
     values ($1, $2, $1, 'monitor.updated', '{}', now())`,
    [messageId, organizationId],
  );
  await tx.query(
    `insert into delivery (id, organization_id, resource_id, message_id, subscription_id, status, next_attempt_at, created_at)
     values ($1, $2, $1, $3, $4, 'pending', now() - interval '1 second', now())`,
    [randomUUID(), organizationId, messageId, subscriptionId],
  );
}

async function insertSubscription(tx: Transaction, id: string, organizationId: string): Promise<void> {
  await tx.query(
    `insert into subscription (id, organization_id, url, events, sealed_secret, enabled, revision, created_at, updated_at)
     values ($1, $2, 'http://127.0.0.1:9/', '{}', '', true, 1, now(), now())`,
    [id, organizationId],
  );
}
