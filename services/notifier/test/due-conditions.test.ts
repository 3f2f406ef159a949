import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DELIVERY_DUE } from '../src/storage/claim-deliveries.ts';
import { HELD_BACK_DUE } from '../src/storage/hold-store.ts';
import { insertDeliveries } from '../src/storage/insert-deliveries.ts';
import { RECIPIENT_ASK_DUE } from '../src/storage/mail-recipient-store.ts';
import { OWNER_MAIL_DUE } from '../src/storage/owner-mail-store.ts';
import { PROBE_DUE } from '../src/storage/probe-store.ts';
import { STORM_DUE } from '../src/storage/storm-store.ts';
import { SUBSCRIBER_ASK_DUE } from '../src/storage/subscriber-store.ts';
import { TIMER_DUE } from '../src/storage/timer-store.ts';
import { notifierDatabase } from './notifier-database.ts';

const NOON = new Date('2026-07-01T12:00:00Z');
const BEFORE = new Date(NOON.getTime() - 1);

let storage: Awaited<ReturnType<typeof notifierDatabase>>;

beforeAll(async () => {
  storage = await notifierDatabase();
  // The rows of this test refer to no other rows.
  await storage.query(`do $$ declare c record; begin
    for c in select conrelid::regclass as name, conname from pg_constraint
             where contype = 'f' and connamespace = current_schema()::regnamespace loop
      execute format('alter table %s drop constraint %I', c.name, c.conname);
    end loop;
  end $$`);
});

afterAll(() => storage[Symbol.asyncDispose]());

async function isDue(condition: string, at: Date): Promise<boolean> {
  const sql = `select $1::timestamptz as now, (${condition}) <= $1 as due`;
  const [row] = await storage.database.read<{ due: boolean | null }>('every organization', sql, [at]);
  return row?.due === true;
}

const id = 'gen_random_uuid()';
const head = (toSubscriber: boolean) =>
  `insert into delivery_head (recipient_id, resource_id, organization_id, delivery_id, attempts, due_at, to_subscriber)
   select ${id}, ${id}, ${id}, ${id}, 0, t.due_at, ${toSubscriber}`;

test.each([
  [
    'storms',
    STORM_DUE,
    `insert into storm (id, organization_id, started_at, due_at) select ${id}, ${id}, now(), t.due_at`,
  ],
  [
    'timers',
    TIMER_DUE,
    `insert into outage_timer (kind, alert_id, channel_id, organization_id, monitor_id, due_at)
     select 'reminder', ${id}, ${id}, ${id}, ${id}, t.due_at`,
  ],
  [
    'requests to recipients',
    RECIPIENT_ASK_DUE,
    `insert into mail_recipient (organization_id, mark, sealed_address, status, ask_at)
     select ${id}, t.n::text, '', 'pending', t.due_at`,
  ],
  [
    'requests to subscribers',
    SUBSCRIBER_ASK_DUE,
    `insert into subscriber (id, organization_id, status_page_id, sealed_address, status, ask_at, asked, created_at)
     select ${id}, ${id}, ${id}, '', 'pending', t.due_at, 0, now()`,
  ],
  [
    'probes',
    PROBE_DUE,
    `insert into channel (id, organization_id, name, type, sealed_config, enabled, default_for_new_monitors, failed_alerts,
       revision, created_at, updated_at, broken_at, broken_reason, probe_at)
     select ${id}, ${id}, 'Ops', 'webhook', '', true, false, 0, 1, now(), now(), now(), 'failing', t.due_at`,
  ],
  ['deliveries', DELIVERY_DUE, head(false)],
  ['deliveries to subscribers', DELIVERY_DUE, head(true)],
])('%s are due at their time, and not before', async (_name, condition, insert) => {
  await storage.query('delete from delivery_head');
  expect(await isDue(condition, NOON)).toBe(false);
  // Rows of other organizations are due later.
  await storage.query(
    `${insert} from (select n, $1::timestamptz + n * interval '1 minute' as due_at from generate_series(0, 9) n) t`,
    [NOON],
  );
  expect(await isDue(condition, BEFORE)).toBe(false);
  expect(await isDue(condition, NOON)).toBe(true);
});

test('mails to owners are found until they have recipients', async () => {
  expect(await isDue(OWNER_MAIL_DUE, NOON)).toBe(false);
  const mail = (addressedAt: string) =>
    storage.query(
      `insert into owner_mail (id, organization_id, event_id, kind, resource_id, subject, body_text, body_html, occurred_at, addressed_at)
       values (${id}, ${id}, ${id}, 'channel_broken', ${id}, '', '', '', now(), ${addressedAt})`,
    );
  await mail('now()');
  expect(await isDue(OWNER_MAIL_DUE, NOON)).toBe(false);
  await mail('null');
  expect(await isDue(OWNER_MAIL_DUE, NOON)).toBe(true);
});

test('held-back deliveries are due when their hold ends, and not before', async () => {
  const [organizationId, resourceId] = [randomUUID(), randomUUID()];
  const held = { alertId: randomUUID(), channelId: randomUUID(), status: 'grouped' } as const;
  await storage.database.transaction({ organizationId }, async (tx) =>
    insertDeliveries(tx, { organizationId, resourceId, now: BEFORE }, [
      { id: randomUUID(), ...held, hold: { reason: 'quiet_hours', until: NOON } },
    ]),
  );
  expect(await isDue(HELD_BACK_DUE, BEFORE)).toBe(false);
  expect(await isDue(HELD_BACK_DUE, NOON)).toBe(true);
});
