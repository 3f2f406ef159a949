import { expect, test } from 'vitest';
import { PageHosts } from './page-hosts.ts';
import { RecentAnswers } from './recent-answers.ts';

const OF_PAGE = 'status.acme.example';

function createHosts() {
  const state = { isAway: false, now: 0, asked: [] as string[], ofPage: new Set([OF_PAGE]) };
  const answers = new RecentAnswers({
    now: () => state.now,
    ask: async (host) => {
      state.asked.push(host);
      return state.isAway ? undefined : state.ofPage.has(host);
    },
  });
  const hosts = new PageHosts({ installationHost: 'tocsin.example', answers });
  const find = async (host: string, path = '/s/acme') => (await hosts.find({ host, path }))?.host;
  return { state, hosts, answers, find };
}

test('a page below /s is stored once, whatever host a visitor sends', async () => {
  const { find, state } = createHosts();
  for (const host of ['a1.example', 'a2.example', '', 'tocsin.example.']) {
    expect(await find(host)).toBe('tocsin.example');
    expect(await find(host, '/s/acme/history.rss')).toBe('tocsin.example');
  }
  expect(state.asked).toEqual(['a1.example', 'a2.example', '', 'tocsin.example.']);
});

test("a page's own host keeps its addresses, so that other pages are not shown on it", async () => {
  const { find } = createHosts();
  expect(await find(OF_PAGE)).toBe(OF_PAGE);
  expect(await find(OF_PAGE, '/s')).toBe(OF_PAGE);
});

test.each(['tocsin.example', 'localhost', '127.0.0.1', '[::1]', '192.0.2.7'])(
  'the service is not asked for the host %s',
  async (host) => {
    const { find, hosts, state } = createHosts();
    expect(hosts.known({ host, path: '/s/acme' })).toEqual({ host: 'tocsin.example', path: '/s/acme' });
    expect(await find(host)).toBe('tocsin.example');
    expect(state.asked).toEqual([]);
  },
);

test.each(['/', '/history.rss', '/s-x', '/api/v2/summary.json'])('the path %s belongs to its host', async (path) => {
  const { find, state } = createHosts();
  expect(await find('a1.example', path)).toBe('a1.example');
  expect(state.asked).toEqual([]);
});

test('an answer is used for five seconds, and for longer while the service does not respond', async () => {
  const { find, hosts, state } = createHosts();
  const address = { host: 'a1.example', path: '/s/acme' };
  expect(hosts.known(address)).toBeUndefined();
  await find('a1.example');
  state.now = 4_999;
  expect(hosts.known(address)?.host).toBe('tocsin.example');
  state.now = 5_000;
  expect(hosts.known(address)).toBeUndefined();
  state.isAway = true;
  expect(await find('a1.example')).toBe('tocsin.example');
  expect(await find('a2.example')).toBeUndefined();
  expect(state.asked).toEqual(['a1.example', 'a1.example', 'a2.example']);
});

test('after a change of a page, the service is asked again', async () => {
  const { find, answers, state } = createHosts();
  expect(await find('status.new.example')).toBe('tocsin.example');
  state.ofPage.add('status.new.example');
  answers.markChanged();
  expect(await find('status.new.example')).toBe('status.new.example');
});

test('an answer from before a change is not used after it', async () => {
  const { hosts, answers, state } = createHosts();
  const address = { host: 'a1.example', path: '/s/acme' };
  const finding = hosts.find(address);
  answers.markChanged();
  expect(await finding).toMatchObject({ host: 'tocsin.example' });
  expect(hosts.known(address)).toBeUndefined();
  expect(state.asked).toEqual(['a1.example']);
});
