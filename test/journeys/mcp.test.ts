import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';

/** Tests the tools for agents with a client library for the Model Context Protocol. */

let network: Network;
beforeAll(async () => {
  network = await startNetwork();
});
afterAll(() => network?.[Symbol.asyncDispose]());

/** Connects with an API key that has all permissions, or with a new key that has the given permissions. */
async function connect({ write = false, permissions }: { write?: boolean; permissions?: readonly string[] } = {}) {
  const { api, baseUrl, installation } = network;
  const key = permissions
    ? (await api.post<{ key: string }>('/api-keys', { name: 'agent', permissions })).key
    : installation.bootstrap.api_key;
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp${write ? '?write=true' : ''}`), { requestInit }),
  );
  return {
    client,
    /** Calls a tool. Returns the parsed result, or the error text if the call failed. */
    async call(name: string, args: Record<string, unknown> = {}) {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      return isError ? text : JSON.parse(text);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

test('tools that make changes are listed only if the URL contains write=true', async () => {
  await using reading = await connect();
  const { tools } = await reading.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('list_problems');
  expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
  await expect(reading.call('create_monitor', {})).rejects.toThrow('create_monitor');

  await using writing = await connect({ write: true });
  const all = (await writing.client.listTools()).tools;
  expect(all.length).toBeGreaterThan(tools.length);
  for (const { description, inputSchema } of all)
    expect([description, inputSchema]).toEqual([expect.any(String), expect.any(Object)]);
});

test('an agent creates a monitor, sees why it is down, and handles the disruption', async () => {
  await using agent = await connect({ write: true });
  const monitor = await agent.call('create_monitor', { name: 'Nightly job', check_type: 'heartbeat', config: {} });
  expect(monitor).toMatchObject({ name: 'Nightly job', state: 'pending' });
  const { heartbeat_token: token } = await network.api.get<{ heartbeat_token: string }>(`/monitors/${monitor.id}`);
  await network.api.patch(`/monitors/${monitor.id}`, { confirm_down_minutes: 0 });
  await fetch(`${network.baseUrl}/api/heartbeat/${token}/fail`);
  await expect
    .poll(() => agent.call('list_problems'), { timeout: 20_000, interval: 200 })
    .toMatchObject({ down: [{ id: monitor.id }], disruptions: [{ title: 'Nightly job is down' }] });
  const { disruptions } = await agent.call('list_problems');
  const disruption = { disruption_id: disruptions[0].id };

  expect(await agent.call('explain_monitor', { monitor_id: monitor.id })).toMatchObject({
    monitor: { name: 'Nightly job', interval_seconds: expect.any(Number) },
    state: { state: 'down', previous_state: 'pending' },
    transitions: [{ state: 'down' }],
  });
  expect(await agent.call('get_uptime', { monitor_id: monitor.id, range: '1h' })).toMatchObject({ uptime_pct: 0 });
  expect(await agent.call('acknowledge_disruption', disruption)).toMatchObject({ acknowledged_at: expect.any(String) });
  const message = 'The disk was full.';
  expect(await agent.call('update_disruption', { ...disruption, message, status: 'resolved' })).toMatchObject({
    status: 'resolved',
    latest_update: { body: message },
  });
  expect(await agent.call('get_disruption', disruption)).toMatchObject({ status: 'resolved' });
});

test('an agent announces a disruption on a status page', async () => {
  await using agent = await connect({ write: true });
  const page = await network.api.post<{ id: string }>('/status-pages', { name: 'Acme', slug: 'acme', enabled: true });
  const structure = { components: [{ type: 'component', name: 'Shop' }] };
  await network.api.put(`/status-pages/${page.id}/structure`, structure);
  expect(await agent.call('list_status_pages')).toMatchObject({ status_pages: [{ id: page.id, slug: 'acme' }] });
  const { components } = await agent.call('get_status_page', { status_page_id: page.id });
  const opened = await agent.call('create_disruption', {
    title: 'Payments fail',
    message: 'We are looking into it.',
    impact: 'critical',
    status_page_id: page.id,
    component_ids: [components[0].id],
    component_status: 'major_outage',
  });
  expect(opened).toMatchObject({ impact: 'critical', status: 'investigating' });
  await expect
    .poll(() => agent.call('list_status_pages'), { timeout: 10_000 })
    .toMatchObject({ status_pages: [{ status: 'major_outage' }] });
  await agent.call('update_disruption', { disruption_id: opened.id, message: 'Fixed.', status: 'resolved' });
});

test('an agent tests an alert channel', async () => {
  await using agent = await connect({ write: true });
  const config = { url: 'http://127.0.0.1:1/hook' };
  const channel = await network.api.post<{ id: string }>('/alert-channels', { name: 'Hook', type: 'webhook', config });
  expect(await agent.call('list_alert_channels')).toMatchObject({
    alert_channels: [{ id: channel.id, type: 'webhook' }],
  });
  expect(await agent.call('test_alert_channel', { alert_channel_id: channel.id })).toMatchObject({
    error: expect.stringContaining('refused'),
  });
  expect((await agent.call('list_monitors', { name: 'night' })).monitors).toMatchObject([{ name: 'Nightly job' }]);
});

test('the error for a missing permission names the permission and the page on which to create a key that has it', async () => {
  await using agent = await connect({ write: true, permissions: ['monitors:read'] });
  expect(await agent.call('create_monitor', { name: 'x', check_type: 'heartbeat', config: {} })).toBe(
    `this credential lacks the permission monitors:read_write. Create a key that has it at ${network.baseUrl}/account`,
  );
});

test('the error for invalid tool input names the invalid field', async () => {
  await using agent = await connect({ write: true });
  expect(await agent.call('create_monitor', { name: 'x', check_type: 'http', config: { url: 'nowhere' } })).toContain(
    'config.url',
  );
  await expect(agent.call('explain_monitor', { monitor_id: 5 })).resolves.toContain('monitor_id');
});

test('a request without a credential is refused with the URL of the OAuth metadata, even if its body is too large', async () => {
  const response = await fetch(`${network.baseUrl}/mcp`, { method: 'POST', body: 'x'.repeat(1_000_000) });
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${network.baseUrl}/.well-known/oauth-protected-resource"`,
  );
});

test('a request with a list of messages is refused, because it could run many tools', async () => {
  const response = await fetch(`${network.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${network.installation.bootstrap.api_key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'tools/list' }]),
  });
  expect(response.status).toBe(422);
  expect(JSON.stringify(await response.json())).toContain('send one message');
});

test('a body of more than 256 KB is refused', async () => {
  const headers = {
    authorization: `Bearer ${network.installation.bootstrap.api_key}`,
    'content-type': 'application/json',
  };
  const send = (bytes: number) =>
    fetch(`${network.baseUrl}/mcp`, { method: 'POST', headers, body: JSON.stringify('x'.repeat(bytes - 2)) });
  expect((await send(256 * 1024)).status).toBe(400);
  expect((await send(256 * 1024 + 1)).status).toBe(413);
});
