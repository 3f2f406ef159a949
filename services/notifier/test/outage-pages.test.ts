import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { startReceiver } from './receiver.ts';
import { aMonitor, BASE_URL, notifierFixture } from './start-notifier.ts';

interface Acknowledged {
  readonly organizationId: string;
  readonly id: string;
  readonly by: string;
}

const acknowledged: Acknowledged[] = [];
const ended = new Set<string>();

const receiver = await startReceiver();
const fixture = await notifierFixture(
  {},
  {
    statusPages: { urlFor: async () => `${BASE_URL}/s/acme` },
    rounds: {
      latest: async (_organizationId, _monitorId, until) => [
        {
          at: until ?? new Date('2026-01-01T10:00:00Z'),
          results: [{ region: 'us-east', outcome: 'fail', error: 'status 502, expected 200' }],
        },
      ],
    },
    disruptions: {
      async find(_, id) {
        const found = acknowledged.find((one) => one.id === id);
        return { acknowledgement: found && { at: new Date(), by: found.by }, resolvedAt: undefined };
      },
      async acknowledge(organizationId, { id, by }) {
        if (ended.has(id)) return 'ended';
        acknowledged.push({ organizationId, id, by });
        return 'acknowledged';
      },
    },
  },
);
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Publishes that a monitor went down, and returns the path of its outage page. */
async function anOutage({ outageId = v7(), name = 'Shop' } = {}) {
  const acme = v7();
  const path = `/hook/${v7()}`;
  const channel = await fixture.createChannel(acme, { url: `${receiver.url}${path}` });
  const monitor = aMonitor(acme, [channel.id], name);
  const links = () => receiver.on(path).map(({ body }): string => JSON.parse(body).outage_url);
  const link = async (nth: number) => {
    const found = await eventually(() => {
      const text = links()[nth];
      if (text === undefined) throw new Error('the alert did not arrive');
      return text;
    });
    expect(found.startsWith(`${BASE_URL}/o/`)).toBe(true);
    return found.slice(BASE_URL.length);
  };
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z', 'status 502, expected 200', outageId));
  return { acme, channel, monitor, outageId, link };
}

const open = (path: string, init: RequestInit = {}) => fetch(`${fixture.url}${path}`, { redirect: 'manual', ...init });

const post = (path: string, name: string) => open(path, { method: 'POST', body: new URLSearchParams({ name }) });

test('an alert and its recovery link to the same outage page', async () => {
  const { monitor, outageId, link } = await anOutage();
  const path = await link(0);
  const response = await open(path);
  expect(response.status).toBe(200);
  const text = await response.text();
  for (const part of ['Shop is down', 'us-east', 'Ops', `${BASE_URL}/s/acme`]) expect(text).toContain(part);
  await fixture.publish(monitor.recovered('2026-01-01T10:02:05Z', '2026-01-01T10:00:00Z', outageId));
  expect(await link(1)).toBe(path);
  await eventually(async () => {
    const after = await (await open(path)).text();
    expect(after).toContain('Shop was down');
    expect(after).toMatch(/Last checks.*1 Jan 2026, 10:02:05 UTC.*us-east/s);
    expect(after.match(/Arrived/g)).toHaveLength(2);
  });
});

test('the page has headers against caching, indexing, framing and referrers', async () => {
  const { link } = await anOutage();
  const { headers } = await open(await link(0));
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'private, no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow, noarchive',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
});

test('submitting the form acknowledges an outage, and reading the page does not', async () => {
  const { acme, outageId, link } = await anOutage();
  const path = await link(0);
  for (const method of ['GET', 'HEAD', 'GET']) await open(path, { method });
  expect(acknowledged.filter(({ id }) => id === outageId)).toEqual([]);

  const response = await post(path, '  Jane <b> ');
  expect([response.status, response.headers.get('location')]).toEqual([303, path]);
  expect(acknowledged.filter(({ id }) => id === outageId)).toEqual([
    { organizationId: acme, id: outageId, by: 'Jane <b> (by the link)' },
  ]);
  const text = await (await open(path)).text();
  expect(text).toContain('Jane &lt;b&gt; (by the link)');
  expect(text).not.toContain('<form');
});

test.each([
  ['an empty name', ''],
  ['a name that is too long', 'x'.repeat(101)],
  ['a form that is too long', 'x'.repeat(5_000)],
])('an acknowledgement with %s is accepted, but does not contain a name', async (_, name) => {
  const { outageId, link } = await anOutage();
  expect((await post(await link(0), name)).status).toBe(303);
  expect(acknowledged.find(({ id }) => id === outageId)?.by).toBe('Somebody with the link');
});

test('acknowledging an ended outage redirects to the page', async () => {
  const { outageId, link } = await anOutage();
  ended.add(outageId);
  expect((await post(await link(0), 'Jane')).status).toBe(303);
});

test('an alert without an outage has its own page, without an acknowledgement form', async () => {
  const acme = v7();
  const path = `/hook/${v7()}`;
  const channel = await fixture.createChannel(acme, { url: `${receiver.url}${path}` });
  await fixture.publish(aMonitor(acme, [channel.id]).fellSilent('2026-01-01T11:00:00Z'));
  const link = await eventually(() => {
    const [first] = receiver.on(path);
    if (!first) throw new Error('the alert did not arrive');
    return String(JSON.parse(first.body).outage_url).slice(BASE_URL.length);
  });
  expect(await (await open(link)).text()).toContain('Shop has no recent data');
  expect((await post(link, 'Jane')).status).toBe(404);
});

test('a link with a modified token returns a 404', async () => {
  const { link } = await anOutage();
  const path = await link(0);
  const token = path.slice('/o/'.length);
  const flipped = [...token].map((character, index) => {
    const other = character === 'A' ? 'B' : 'A';
    return `${token.slice(0, index)}${other}${token.slice(index + 1)}`;
  });
  const wrong = [...flipped, token.slice(1), `${token}A`, '', '..', `${token}/x`, 'a'.repeat(44)];
  const statuses = await Promise.all(wrong.map(async (one) => (await open(`/o/${one}`)).status));
  expect(new Set(statuses)).toEqual(new Set([404]));
  expect((await open(path)).status).toBe(200);
});

test('tables and logs do not contain the tokens of outage pages', async () => {
  const { link } = await anOutage();
  const path = await link(0);
  await (await open(path)).text();
  const token = path.slice('/o/'.length);
  const tables = ['alert', 'delivery', 'delivery_attempt', 'link_key'];
  for (const table of tables)
    expect(JSON.stringify(await fixture.query(`select * from ${table}`))).not.toContain(token);
  expect(fixture.logged.join('')).not.toContain(token);
});

test('the page refuses methods other than GET, HEAD and POST', async () => {
  const { link } = await anOutage();
  const response = await open(await link(0), { method: 'DELETE' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
});
