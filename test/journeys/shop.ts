import type { Network } from '../network.ts';
import type { Receiver } from '../receiver.ts';
import type { Target } from '../target.ts';

export interface Disruption {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly impact: string;
  readonly auto_created: boolean;
  readonly resolved_at: string | null;
  readonly updates: readonly { readonly status: string; readonly body: string; readonly explanation: string | null }[];
  readonly affected_components: readonly { readonly id: string; readonly name: string; readonly status: string }[];
}

/** A monitored shop with a page and two channels, created only through the public API. */
export interface Shop {
  readonly monitorId: string;
  readonly componentId: string;
  readonly slug: string;
  state(): Promise<string | null>;
  /** Returns the disruptions whose title begins with the name of this shop, newest first. */
  disruptions(): Promise<Disruption[]>;
  /** Returns the HTML of the public page. */
  page(): Promise<string>;
  /** Starts a round immediately, by changing the monitor. */
  nudge(): Promise<void>;
}

let shops = 0;

/** @param kind Word in the name and the slug, for tests that use the same installation. */
export async function openShop(
  { api, baseUrl }: Pick<Network, 'api' | 'baseUrl'>,
  target: Pick<Target, 'url'>,
  receiver: Receiver,
  kind = 'Shop',
): Promise<Shop> {
  shops += 1;
  const name = `${kind} ${shops}`;
  const slug = `${kind.toLowerCase()}-${shops}`;
  const hook = await api.post<{ id: string }>('/alert-channels', {
    name: `${name} hook`,
    type: 'webhook',
    config: { url: `${receiver.url}/${slug}/hook` },
  });
  const slack = await api.post<{ id: string }>('/alert-channels', {
    name: `${name} slack`,
    type: 'slack',
    config: { webhook_url: `${receiver.url}/${slug}/slack` },
  });
  const monitor = await api.post<{ id: string }>('/monitors', {
    name,
    check_type: 'http',
    config: { url: target.url },
    interval_seconds: 30,
    confirm_down_minutes: 0,
    confirm_up_minutes: 0,
    alert_channel_ids: [hook.id, slack.id],
  });
  const page = await api.post<{ id: string }>('/status-pages', { name: `${name} status`, slug, enabled: true });
  const { components } = await api.put<{ components: { id: string }[] }>(`/status-pages/${page.id}/structure`, {
    components: [
      {
        type: 'component',
        name: `${name} checkout`,
        monitors: [{ monitor_id: monitor.id, down_status: 'major_outage' }],
      },
    ],
  });
  return {
    monitorId: monitor.id,
    componentId: components[0]?.id ?? '',
    slug,
    state: async () => (await api.get<{ state: string | null }>(`/monitors/${monitor.id}/state`)).state,
    disruptions: async () =>
      (await api.get<Disruption[]>('/disruptions')).filter(({ title }) => title.startsWith(`${name} `)),
    page: async () => (await fetch(`${baseUrl}/s/${slug}`)).text(),
    nudge: async () => {
      await api.patch(`/monitors/${monitor.id}`, { timeout_ms: 10_000 });
    },
  };
}
