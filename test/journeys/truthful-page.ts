import { eventually } from '@tocsin/testing';
import { expect } from 'vitest';
import type { Network } from '../network.ts';
import type { Target } from '../target.ts';

export const timing = { timeoutMs: 60_000, intervalMs: 200 };

interface Component {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

let pages = 0;

/** Creates an enabled page with these components. */
export async function openPage({ api, baseUrl }: Network, components: readonly object[]) {
  pages += 1;
  const slug = `truth-${pages}`;
  const { id } = await api.post<{ id: string }>('/status-pages', { name: `Truth ${pages}`, slug, enabled: true });
  const put = (entries: readonly object[]) =>
    api.put<{ components: Component[] }>(`/status-pages/${id}/structure`, {
      components: entries.map((entry) => ({ type: 'component', ...entry })),
    });
  const made = await put(components);
  const text = async () => (await fetch(`${baseUrl}/s/${slug}`)).text();
  return {
    id,
    slug,
    put,
    components: made.components,
    text,
    /** Waits until the API returns these statuses for the page and its first component, and the page shows a text. */
    async shows(words: string, page: string, component = page): Promise<void> {
      await eventually(async () => {
        const read = await api.get<{ status: string; components: Component[] }>(`/status-pages/${id}`);
        expect([read.status, read.components[0]?.status]).toEqual([page, component]);
        expect(await text()).toContain(words);
      }, timing);
    },
  };
}

/** Creates a monitor that checks a target. */
export async function openMonitor({ api }: Network, target: Target, settings: object = {}) {
  const { id } = await api.post<{ id: string }>('/monitors', {
    name: `internal-host-${crypto.randomUUID().slice(0, 8)}`,
    check_type: 'http',
    config: { url: target.url },
    interval_seconds: 30,
    confirm_down_minutes: 0,
    confirm_up_minutes: 0,
    alert_channel_ids: [],
    ...settings,
  });
  const state = async () => (await api.get<{ state: string | null }>(`/monitors/${id}/state`)).state;
  return {
    id,
    state,
    links: [{ monitor_id: id, down_status: 'major_outage' }],
    /** Starts one round after another, without waiting for the interval, until the monitor has this state. */
    becomes: (wanted: string) =>
      eventually(
        async () => {
          if ((await state()) === wanted) return;
          await api.patch(`/monitors/${id}`, { timeout_ms: 10_000 });
          expect(await state()).toBe(wanted);
        },
        { timeoutMs: 60_000, intervalMs: 1_000 },
      ),
  };
}
