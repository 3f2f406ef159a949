import { expect, test } from 'vitest';
import { runCommand, startFakeApi } from '../../test/harness.ts';
import { load } from '../file/load.ts';

const component = (id: string, name: string, position: number, more: object = {}) => ({
  id,
  name,
  status: 'operational',
  position,
  description: null,
  showcase: true,
  start_date: null,
  group_id: null,
  page_id: 'p',
  group: false,
  only_show_if_degraded: false,
  ...more,
});

const page = { id: 'p', name: 'Acme Inc.', url: 'https://status.acme.example', time_zone: 'Etc/UTC' };
const documents: Readonly<Record<string, unknown>> = {
  '/api/v2/summary.json': {
    page,
    components: [
      component('c3', 'Mail', 3, { start_date: '2024-01-02', description: 'Sending and receiving' }),
      component('g1', 'Web', 1, { group: true, components: ['c2', 'c1'] }),
      component('c1', 'Shop', 2, { group_id: 'g1' }),
      component('c2', 'API', 1, { group_id: 'g1', only_show_if_degraded: true }),
    ],
    incidents: [],
    scheduled_maintenances: [],
    status: { indicator: 'none', description: 'All Systems Operational' },
  },
  '/api/v2/incidents.json': { page, incidents: [{ id: 'i', name: 'Slow checkout', status: 'resolved' }] },
  '/api/v2/scheduled-maintenances.json': { page, scheduled_maintenances: [] },
};

test('a page is imported with its components and groups, and the report lists what was not imported', async () => {
  await using server = await startFakeApi(({ path }) => ({
    status: path in documents ? 200 : 404,
    body: documents[path],
  }));
  const { code, stdout, stderr } = await runCommand(['import', 'statuspage', `${server.url}/`], {});
  expect(code).toBe(0);
  const { errors, desired } = load('f', stdout, {});
  expect(errors).toEqual([]);
  expect(desired.pages).toMatchObject([
    {
      slug: 'acme-inc',
      settings: { name: 'Acme Inc.', homepage_url: 'https://status.acme.example', enabled: true },
      entries: [
        { kind: 'group', name: 'Web', components: [{ name: 'API' }, { name: 'Shop' }] },
        { kind: 'component', name: 'Mail', description: 'Sending and receiving', start_date: '2024-01-02' },
      ],
    },
  ]);
  expect(stderr).toContain('Carried over: 0 monitors, 0 alert channels, 1 status page.');
  expect(stderr).toContain('1 × incidents; see "tocsin import statuspage-history": "Slow checkout"');
  expect(stderr).toContain('3 × a person set its status; link it to monitors: "API", "Shop", "Mail"');
  expect(stderr).toContain('1 × it is always shown: "API"');
});

test('an import exits with code 3 if the page has no v2 API', async () => {
  await using server = await startFakeApi(() => ({ status: 404 }));
  const ran = await runCommand(['import', 'statuspage', server.url], {});
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('returned 404') });
});
