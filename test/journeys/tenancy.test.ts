import { openSecrets } from '@tocsin/local/secrets';
import { storedNames } from '@tocsin/local/service-names';
import { eventually } from '@tocsin/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin } from './admin.ts';
import { type Fixture, startFixture } from './fixture.ts';

/**
 * Tables without row-level security. Of an organization's data, they contain only its name, its id and the ids of its
 * resources unencrypted. Programs read these tables only before the organization is known, or across organizations.
 */
const SHARED_TABLES = [
  'identity.organization',
  'identity.outbox_sequence',
  'monitor.inbox',
  'monitor.open_round',
  'monitor.outbox_sequence',
  'monitor.schedule',
  'disruption.inbox',
  'disruption.outbox_sequence',
  'statuspage.inbox',
  'statuspage.outbox_sequence',
  'notifier.inbox',
  'notifier.outbox_sequence',
  'gateway.idempotent_answer',
  'gateway.rate_window',
];

/**
 * Tables with a column `organization_id` and without row-level security, because they are read to find the
 * organization.
 */
const READ_TO_FIND_ORGANIZATION = ['identity.provider_attempt'];

/** Texts that occur only in the rows of one organization: its id, and ids and names of its resources. */
let texts: string[];
let otherOrganization: string;
let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
  const { network, receiver, target } = fixture;
  const { api } = network;
  const shop = await fixture.openShop();
  const me = await api.get<{ organization: { uuid: string } }>('/me');
  await api.post('/webhooks', { url: `${receiver.url}/events`, events: ['monitor.state_changed'] });
  const heartbeat = { name: 'Nightly backup', check_type: 'heartbeat', config: { expected_interval: 10 } };
  const { status } = await api.send('POST', '/api/v1/monitors', heartbeat, { 'idempotency-key': 'once' });
  expect(status).toBe(201);
  await eventually(async () => expect(await shop.state()).toBe('up'));
  target.break();
  await shop.nudge();
  await eventually(async () => expect(await shop.disruptions()).toHaveLength(1), { timeoutMs: 60_000 });
  const [disruption] = await shop.disruptions();
  texts = [me.organization.uuid, shop.monitorId, shop.componentId, disruption?.id ?? '', shop.slug, heartbeat.name];

  const words = ['org', 'create', '--name', 'Other', '--owner-email', 'other@example.com'];
  const { stdout } = await admin(network.dataDir, ...words);
  otherOrganization = JSON.parse(stdout).organization.uuid;
});

afterAll(() => fixture[Symbol.asyncDispose]());

/** Runs work with a connection that uses the database role of a program. */
async function asProgram<Result>(
  name: (typeof storedNames)[number],
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const { postgres } = fixture.network.installation;
  const secrets = await openSecrets(fixture.network.dataDir);
  const url = new URL(postgres?.url ?? '');
  url.username = `tocsin_${name}_runtime`;
  url.password = secrets.runtimeDatabases[name];
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Searches the tables with row-level security for texts, with the database role of each program and in the scope of an
 * organization. Returns the tables in which a visible row contains one of the texts.
 */
async function tablesShowing(organizationId: string, wanted: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of storedNames) {
    await asProgram(name, async (client) => {
      await client.query(`select set_config('tocsin.organization', $1, false)`, [organizationId]);
      const { rows } = await client.query<{ table: string }>(
        `select relname as table from pg_class where relnamespace = $1::regnamespace and relkind in ('r', 'p')
         and not relispartition order by relname`,
        [name],
      );
      expect(rows.length).toBeGreaterThan(1);
      for (const { table } of rows) {
        const { rowCount } = await client.query(
          `select from ${name}.${pg.escapeIdentifier(table)} t
           where exists (select from unnest($1::text[]) as text where strpos(t::text, text) > 0) limit 1`,
          [wanted],
        );
        const isProtected = !SHARED_TABLES.includes(`${name}.${table}`);
        if (isProtected && (rowCount ?? 0) > 0) found.push(`${name}.${table}`);
      }
    });
  }
  return found;
}

test("in the scope of one organization, a program's role sees no rows of another organization", async () => {
  expect(await tablesShowing(otherOrganization, texts)).toEqual([]);
});

test("without a scope, a program's role sees no rows of any organization", async () => {
  expect(await tablesShowing('', [...texts, otherOrganization])).toEqual([]);
});

test('in the scope of an organization, the roles of several programs see rows of that organization', async () => {
  const found = await tablesShowing(texts[0] ?? '', texts);
  for (const table of ['identity.api_key', 'monitor.check_result', 'disruption.disruption', 'notifier.delivery'])
    expect(found).toContain(table);
});

test('every table with a column organization_id has row-level security for its owner too, unless it is read to find the organization', async () => {
  const client = new pg.Client({ connectionString: fixture.network.installation.postgres?.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select c.relnamespace::regnamespace::text || '.' || c.relname as name
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
       where c.relnamespace::regnamespace::text = any($1) and c.relkind in ('r', 'p') and not c.relispartition
         and not (c.relrowsecurity and c.relforcerowsecurity) order by 1`,
      [storedNames],
    );
    expect(rows.map(({ name }) => name)).toEqual(READ_TO_FIND_ORGANIZATION);
  } finally {
    await client.end();
  }
});

test.each(storedNames)("the role of %s sees no other program's schema, and owns nothing", async (name) => {
  const others = storedNames.filter((other) => other !== name);
  await asProgram(name, async (client) => {
    const { rows } = await client.query<{ visible: string[]; owned: number }>(
      `select array(select nspname::text from pg_namespace
                    where nspname = any($1) and has_schema_privilege(oid, 'usage')) as visible,
              (select count(*)::int from pg_class where pg_has_role(relowner, 'member')) as owned`,
      [others],
    );
    expect(rows).toEqual([{ visible: [], owned: 0 }]);
  });
});
