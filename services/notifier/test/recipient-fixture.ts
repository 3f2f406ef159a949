import { recipientStatuses } from '@tocsin/enums';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { expect } from 'vitest';
import { startMailServer } from './start-mail-server.ts';
import { aMonitor, BASE_URL, notifierFixture } from './start-notifier.ts';

/** Runs a notifier whose clock can be advanced, with a mail server, for tests of the recipients of email channels. */
export async function recipientFixture() {
  await using stack = new AsyncDisposableStack();
  const mails = stack.use(await startMailServer());
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const organizations = { nameOf: async () => 'Acme <i>' };
  const notifier = stack.use(await notifierFixture({ smtpUrl: mails.url, retryBaseMs: 2_000 }, { organizations, now }));

  const deliveriesOf = (channelId: string) =>
    notifier.query<{ status: string; last_error: string | null }>(
      'select status, last_error from delivery where channel_id = $1 order by position',
      [channelId],
    );

  const running = stack.move();
  return {
    mails,
    notifier,
    now,
    deliveriesOf,
    [Symbol.asyncDispose]: () => running.disposeAsync(),

    /** Moves the clock of the notifier. */
    advance(milliseconds: number): void {
      ahead += milliseconds;
    },

    createChannel: (organizationId: string, ...recipients: string[]) =>
      notifier.createChannel(organizationId, { recipients }, 'email', 'Night shift'),

    statusesOf: async (organizationId: string, id: string) =>
      (await notifier.getChannel(organizationId, id))?.recipients.map(({ status }) => recipientStatuses.toName(status)),

    /** Waits until an address has got this number of emails, and returns the emails. */
    mailsTo: (recipient: string, count: number) =>
      eventually(() => {
        const found = mails.to(recipient);
        expect(found).toHaveLength(count);
        return found;
      }),

    open: (path: string) => fetch(`${notifier.url}${path}`),

    post: (path: string, form: Record<string, string> = {}) =>
      fetch(`${notifier.url}${path}`, { method: 'POST', body: new URLSearchParams(form) }),

    /** Waits until the deliveries of a channel have these statuses, and returns the deliveries. */
    ended: (channelId: string, statuses: string[]) =>
      eventually(async () => {
        const rows = await deliveriesOf(channelId);
        expect(rows.map(({ status }) => status)).toEqual(statuses);
        return rows;
      }),

    async goDown(organizationId: string, channelId: string): Promise<void> {
      await notifier.publish(aMonitor(organizationId, [channelId]).wentDown('2026-01-01T10:00:00Z'));
    },
  };
}

/** Returns an address that no other test uses. */
export const address = (prefix = '') => `${prefix}${v7()}@example.com`;

/** Returns the path of the confirm or unsubscribe link in an email. */
export function linkIn(text: string | undefined): string {
  const url = /(?:Confirm|Unsubscribe): (\S+)/.exec(text ?? '')?.[1] ?? '';
  expect(url.startsWith(`${BASE_URL}/m/`)).toBe(true);
  return url.slice(BASE_URL.length);
}
