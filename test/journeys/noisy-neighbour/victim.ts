import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { type Api, createApi } from '../../api.ts';
import type { Network } from '../../network.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';

/** Delays of each step in the victim's outage, in milliseconds. */
export interface Outage {
  /** Delay from a round's due time to the arrival of its request at the target. */
  readonly checkMs: number;
  /** Delay from the target's failing response to the alert at the receiver. */
  readonly alertMs: number;
  /** Delay from the target's failing response to the disruption in the API. */
  readonly disruptionMs: number;
  /** Delay from the target's failing response to the outage on the public page. */
  readonly pageMs: number;
}

/** The organization whose service is measured during attacks. It has a monitor, a channel and a page. */
export interface Victim extends AsyncDisposable {
  readonly api: Api;
  /** Makes the target fail and recover, and measures the delays of the failure. */
  outage(timeoutMs: number): Promise<Outage>;
  /** Calls the API continuously until disposed, and records the duration of each call. */
  useApi(everyMs: number): AsyncDisposable & { readonly tookMs: number[]; readonly failed: number[] };
}

interface VictimOptions {
  readonly apiKey: string;
  /** Host name of this machine in the installation's name servers. */
  readonly receiverHost: string;
}

const POLL_MS = 20;
const INTERVAL_SECONDS = 30;

export async function startVictim(network: Network, { apiKey, receiverHost }: VictimOptions): Promise<Victim> {
  await using stack = new AsyncDisposableStack();
  const receiver = stack.use(await startReceiver());
  const target = await startTimedTarget(stack);
  const api = createApi(network.baseUrl, apiKey);
  const name = `Shop ${Date.now()}`;
  const slug = `victim-${Date.now()}`;
  const { port } = new URL(receiver.url);
  const channel = await api.post<{ id: string }>('/alert-channels', {
    name: 'Hook',
    type: 'webhook',
    config: { url: `http://${receiverHost}:${port}/hook` },
  });
  const monitor = await api.post<{ id: string }>('/monitors', {
    name,
    check_type: 'http',
    config: { url: target.url },
    interval_seconds: INTERVAL_SECONDS,
    confirm_down_minutes: 0,
    confirm_up_minutes: 0,
    alert_channel_ids: [channel.id],
  });
  const page = await api.post<{ id: string }>('/status-pages', { name: 'Victim', slug, enabled: true });
  await api.put(`/status-pages/${page.id}/structure`, {
    components: [{ type: 'component', name: 'Checkout', monitors: [{ monitor_id: monitor.id }] }],
  });
  const state = async () => (await api.get<{ current_state: string }>(`/monitors/${monitor.id}`)).current_state;
  const open = async () =>
    (await api.get<{ title: string }[]>('/disruptions?status=investigating')).find(({ title }) => title.includes(name));
  const html = async () => (await fetch(`${network.baseUrl}/s/${slug}`)).text();
  /** Makes the next round due at once. */
  const nudge = async () =>
    void (await eventually(() => api.patch(`/monitors/${monitor.id}`, { timeout_ms: 10_000 }), { timeoutMs: 60_000 }));
  const until = <Value>(condition: () => Promise<Value>, timeoutMs: number) =>
    eventually(
      async () => {
        const value = await condition();
        if (!value) throw new Error('not yet');
        return { value, at: Date.now() };
      },
      { timeoutMs, intervalMs: POLL_MS },
    );
  await until(async () => (await state()) === 'up', 60_000);
  const running = stack.move();

  return {
    api,
    async outage(timeoutMs) {
      const alertsBefore = alertsOf(receiver).length;
      // Rounds are opened a second ahead. If the next one were open already, the nudge would cause a round after it.
      const nextRoundMs = target.requestedAt + INTERVAL_SECONDS * 1_000 - Date.now();
      if (nextRoundMs < 3_000) await sleep(nextRoundMs + 2_000);
      target.isBroken = true;
      await nudge();
      const dueAt = Date.now();
      const failedAt = (await until(async () => target.failedAt, timeoutMs)).value ?? Number.NaN;
      const [alert, disruption, red] = await Promise.all([
        until(async () => alertsOf(receiver)[alertsBefore], timeoutMs),
        until(open, timeoutMs),
        until(async () => (await html()).includes('Major outage'), timeoutMs),
      ]);
      target.isBroken = false;
      await nudge();
      await until(async () => (await state()) === 'up', timeoutMs);
      await until(async () => (await open()) === undefined, timeoutMs);
      await until(async () => alertsOf(receiver)[alertsBefore + 1], timeoutMs);
      return {
        checkMs: failedAt - dueAt,
        alertMs: (alert.value?.at ?? Number.NaN) - failedAt,
        disruptionMs: disruption.at - failedAt,
        pageMs: red.at - failedAt,
      };
    },
    useApi(everyMs) {
      const tookMs: number[] = [];
      const failed: number[] = [];
      const pending = new Set<Promise<void>>();
      async function call(): Promise<void> {
        const began = performance.now();
        const { status } = await api.send('GET', `/api/v1/monitors/${monitor.id}`).catch(() => ({ status: 0 }));
        tookMs.push(performance.now() - began);
        if (status !== 200) failed.push(status);
      }
      const timer = setInterval(() => {
        const one = call().finally(() => pending.delete(one));
        pending.add(one);
      }, everyMs);
      return {
        tookMs,
        failed,
        async [Symbol.asyncDispose]() {
          clearInterval(timer);
          await Promise.all(pending);
        },
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const alertsOf = (receiver: Receiver) => receiver.alerts('/hook');

/** Starts a target that records the time of its first failing response. */
async function startTimedTarget(stack: AsyncDisposableStack) {
  const state = { broken: false, failedAt: undefined as number | undefined, requestedAt: Date.now() };
  const server = createServer((_request, response) => {
    state.requestedAt = Date.now();
    if (state.broken) state.failedAt ??= Date.now();
    response.writeHead(state.broken ? 502 : 200).end();
  });
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/`,
    get failedAt() {
      return state.failedAt;
    },
    /** Time of the last request, as Unix milliseconds. */
    get requestedAt() {
      return state.requestedAt;
    },
    set isBroken(broken: boolean) {
      state.broken = broken;
      if (broken) state.failedAt = undefined;
    },
  };
}
