import { expect, test } from 'vitest';
import { type Fixture, idleMonitor } from './fixture.ts';
import { inBatch } from './monitor-batches.ts';

/** For each check type, a config that contains all possible fields. */
const full = {
  http: {
    url: 'https://shop.example.com/',
    method: 'POST',
    expected_status_codes: [200],
    follow_redirects: false,
    headers: { authorization: 'Bearer {{KEY}}' },
    body: '{{KEY}}',
    expected_keyword: 'ok',
    unexpected_keyword: 'error',
    max_response_time_ms: 500,
    verify_tls: false,
  },
  tcp: { host: 'db.example.com', port: 5432, tls: true },
  dns: {
    host: 'example.com',
    record_type: 'MX',
    nameserver: '192.0.2.53:5353',
    expected_records: ['10 mx.example.com'],
  },
  heartbeat: { expected_interval: 60, consecutive_misses: 3 },
  synthetic: { script: 'await page.goto("https://example.com")' },
} as const;

type CheckType = keyof typeof full;

const types = Object.keys(full) as CheckType[];
const secretive: readonly CheckType[] = ['http', 'synthetic'];

const host = 'must be a host name or an IP address such as shop.example.com, without a scheme or a port';

/** Returns the sorted names of the fields that the API returns for a monitor of this check type. */
function fieldsOf(type: CheckType): string[] {
  const confirm =
    type === 'synthetic' ? ['confirm_down_after', 'confirm_up_after'] : ['confirm_down_minutes', 'confirm_up_minutes'];
  const own = [
    ...(secretive.includes(type) ? ['secret_names'] : []),
    ...(type === 'heartbeat' ? ['heartbeat_token', 'heartbeat_url'] : []),
  ];
  const common = [
    'id',
    'name',
    'check_type',
    'enabled',
    'interval_seconds',
    'timeout_ms',
    'config',
    'current_state',
    'alert_channel_ids',
  ];
  return [...common, 'inserted_at', 'updated_at', ...confirm, ...own].sort();
}

interface Monitor {
  readonly id: string;
  readonly config: unknown;
}

/** Tests the differences between check types. */
export function typesOfMonitors(fixture: () => Fixture): void {
  test.each(types)('a %s monitor is returned with its complete config and the fields of its type', async (type) => {
    const { mine } = fixture();
    const secrets = secretive.includes(type) ? { secrets: { KEY: 'x' } } : {};
    const confirm = type === 'synthetic' ? { confirm_down_after: 2, confirm_up_after: 4 } : {};
    const monitor = idleMonitor({ check_type: type, config: full[type], ...secrets, ...confirm });
    const created = await mine.create<Monitor>('/monitors', monitor);
    expect(created).toMatchObject(confirm);
    expect(created.config).toEqual(full[type]);
    expect(Object.keys(created).sort()).toEqual(fieldsOf(type));
    expect((await mine.call('GET', `/monitors/${created.id}`)).body).toEqual({ data: created });
    const changed = await mine.call('PATCH', `/monitors/${created.id}`, { config: full[type] });
    expect(changed).toMatchObject({ status: 200, body: { data: { config: full[type] } } });
    const { body } = await mine.call('POST', '/monitors/batch', { monitors: [monitor] });
    const [batched = {}] = (body as { data: object[] }).data;
    expect(batched).toMatchObject({ config: full[type], ...confirm });
    expect(Object.keys(batched).sort()).toEqual(fieldsOf(type));
  });

  test('the document describes every field of every config', () => {
    const documented = fixture().document.configFields('/api/v1/monitors', 'check_type');
    for (const type of types) expect(documented[type]?.toSorted(), type).toEqual(Object.keys(full[type]).sort());
  });

  test.each(types)('an unknown config key of a %s monitor is listed as ignored and stored', async (type) => {
    const { mine } = fixture();
    const config = { ...full[type], interval: 60 };
    const secrets = secretive.includes(type) ? { secrets: { KEY: 'x' } } : {};
    const created = await mine.call('POST', '/monitors', idleMonitor({ check_type: type, config, ...secrets }));
    expect(created).toMatchObject({ status: 201, body: { data: { config } } });
    expect(created.headers.get('x-tocsin-ignored')).toBe('config.interval');
    const { id } = (created.body as { data: { id: string } }).data;
    const changed = await mine.call('PATCH', `/monitors/${id}`, { config, foo: 1 });
    expect(changed).toMatchObject({ status: 200, body: { data: { config } } });
    expect(changed.headers.get('x-tocsin-ignored')).toBe('foo, config.interval');
  });

  test.each<[CheckType, object, Record<string, string[]>]>([
    ['tcp', {}, { 'config.host': ['is required'], 'config.port': ['is required'] }],
    ['tcp', { ...full.tcp, port: 0 }, { 'config.port': ['must be an integer between 1 and 65535'] }],
    [
      'dns',
      { ...full.dns, record_type: 'ANY' },
      { 'config.record_type': ['must be one of A, AAAA, CNAME, MX, TXT, NS, SOA, SRV, CAA, PTR'] },
    ],
    [
      'heartbeat',
      { expected_interval: 9 },
      { 'config.expected_interval': ['must be an integer between 10 and 86400'] },
    ],
    ['heartbeat', { consecutive_misses: 11 }, { 'config.consecutive_misses': ['must be an integer between 1 and 10'] }],
    ['synthetic', {}, { 'config.script': ['is required'] }],
  ])('a %s monitor with the config %j is refused with the errors %j', async (check_type, config, errors) => {
    const response = await fixture().mine.call('POST', '/monitors', idleMonitor({ check_type, config }));
    expect(response).toMatchObject({ status: 422, body: { error: { errors } } });
  });

  test.each<[CheckType, string, unknown, string]>([
    ['http', 'unexpected_keyword', 'x'.repeat(1_001), 'must be a string of at most 1000 bytes'],
    ['tcp', 'host', 'a b', host],
    ['tcp', 'port', 65_536, 'must be an integer between 1 and 65535'],
    ['tcp', 'tls', 'yes', 'must be true or false'],
    ['dns', 'host', 'a b', host],
    ['dns', 'record_type', 'ANY', 'must be one of A, AAAA, CNAME, MX, TXT, NS, SOA, SRV, CAA, PTR'],
    ['dns', 'nameserver', 'example.com', 'must be an IP address with an optional port such as 192.0.2.53:53'],
    ['dns', 'expected_records', 'x', 'must be an array of strings'],
    ['heartbeat', 'expected_interval', 86_401, 'must be an integer between 10 and 86400'],
    ['heartbeat', 'consecutive_misses', 0, 'must be an integer between 1 and 10'],
    ['synthetic', 'script', '', 'must be a string of 1 to 65536 bytes'],
  ])('POST and PATCH refuse a %s monitor with the invalid %s %j', async (check_type, field, value, problem) => {
    const { mine } = fixture();
    const config = { ...full[check_type], [field]: value };
    const secrets = secretive.includes(check_type) ? { secrets: { KEY: 'x' } } : {};
    const right = idleMonitor({ check_type, config: full[check_type], ...secrets });
    const { id } = await mine.create<Monitor>('/monitors', right);
    const refused = { status: 422, body: { error: { errors: { [`config.${field}`]: [problem] } } } };
    expect(await mine.call('POST', '/monitors', { ...right, config })).toMatchObject(refused);
    expect(await mine.call('POST', '/monitors/batch', { monitors: [{ ...right, config }] })).toMatchObject({
      status: 422,
      body: { error: { errors: inBatch({ [`config.${field}`]: [problem] }) } },
    });
    expect(await mine.call('PATCH', `/monitors/${id}`, { config })).toMatchObject(refused);
    expect(await mine.call('GET', `/monitors/${id}`)).toMatchObject({ body: { data: { config: full[check_type] } } });
  });

  test('only a heartbeat monitor may omit its config', async () => {
    const { mine } = fixture();
    const created = await mine.create<Monitor>(
      '/monitors',
      idleMonitor({ check_type: 'heartbeat', config: undefined }),
    );
    expect(created.config).toEqual({});
    for (const check_type of types.filter((type) => type !== 'heartbeat')) {
      expect(await mine.call('POST', '/monitors', idleMonitor({ check_type, config: undefined }))).toMatchObject({
        status: 422,
      });
    }
  });

  test('the names of secrets are returned sorted, and null removes a secret', async () => {
    const { mine } = fixture();
    const created = await mine.create<Monitor>(
      '/monitors',
      idleMonitor({ config: full.http, secrets: { KEY: 'x', A: 'y' } }),
    );
    expect(created).toHaveProperty('secret_names', ['A', 'KEY']);
    const change = (body: object) => mine.call('PATCH', `/monitors/${created.id}`, body);
    expect(await change({ secrets: { A: null, B: 'z' } })).toMatchObject({
      body: { data: { secret_names: ['B', 'KEY'] } },
    });
    expect(await change({ secrets: { KEY: null } })).toMatchObject({
      status: 422,
      body: {
        error: {
          errors: {
            'config.headers.authorization': ['refers to the secret KEY, which this monitor does not have'],
            'config.body': ['refers to the secret KEY, which this monitor does not have'],
          },
        },
      },
    });
    expect(await change({ name: 'Same' })).toMatchObject({ body: { data: { secret_names: ['B', 'KEY'] } } });
  });

  test.each(types.filter((type) => !secretive.includes(type)))(
    'secrets are refused for a %s monitor',
    async (check_type) => {
      const body = idleMonitor({ check_type, config: full[check_type], secrets: { KEY: 'x' } });
      const words = `are for http and synthetic monitors only; this one is of type ${check_type}`;
      expect(await fixture().mine.call('POST', '/monitors', body)).toMatchObject({
        status: 422,
        body: { error: { errors: { secrets: [words] } } },
      });
    },
  );
}
