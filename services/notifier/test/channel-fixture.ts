import { eventually } from '@tocsin/testing';
import { expect } from 'vitest';
import type { NotifierConfig } from '../src/config.ts';
import type { Overrides } from '../src/service.ts';
import { apisAt } from './provider-apis.ts';
import { startReceiver } from './receiver.ts';
import { notifierFixture } from './start-notifier.ts';

export interface DeliveryRow {
  status: string;
  attempts: number;
  last_error: string | null;
  kind: string;
  outcomes: string[] | null;
}

/** Starts a notifier and an alert receiver. The receiver also stands in for the APIs of all providers. */
export async function channelFixture(settings: Partial<NotifierConfig> = {}, overrides: Overrides = {}) {
  const receiver = await startReceiver();
  /** URLs of public status pages, by monitor id. */
  const pages = new Map<string, string>();
  const statusPages = { urlFor: async (_: string, monitorId: string) => pages.get(monitorId) };
  const fixture = await notifierFixture({ apiUrls: apisAt(receiver.url), ...settings }, { statusPages, ...overrides });
  let paths = 0;
  /** Returns a path at the receiver that no other channel uses. */
  const newPath = () => `/hook/${++paths}`;

  /** Returns a channel's deliveries in order, each with the outcomes of its attempts. */
  const deliveriesOf = (channelId: string): Promise<DeliveryRow[]> =>
    fixture.query<DeliveryRow>(
      `select d.status, d.attempts, d.last_error, a.kind,
         (select array_agg(outcome order by at, id) from delivery_attempt t where t.delivery_id = d.id) as outcomes
       from delivery d join alert a on a.id = d.alert_id where d.channel_id = $1 order by d.position`,
      [channelId],
    );

  return {
    ...fixture,
    pages,
    receiver,
    newPath,
    deliveriesOf,
    async newChannel(organizationId: string, config: Record<string, unknown> = {}) {
      const path = newPath();
      const channel = await fixture.createChannel(organizationId, { url: `${receiver.url}${path}`, ...config });
      return { id: channel.id, path };
    },
    finished: (channelId: string, statuses: string[]): Promise<DeliveryRow[]> =>
      eventually(async () => {
        const rows = await deliveriesOf(channelId);
        expect(rows.map(({ status }) => status)).toEqual(statuses);
        return rows;
      }),
    events: (path: string) => receiver.on(path).map(({ body }) => JSON.parse(body).event),
    async [Symbol.asyncDispose]() {
      await fixture[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}
