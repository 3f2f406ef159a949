import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { createMailer, type SmtpOptions } from '../src/clients/smtp.ts';
import { startMailServer } from './start-mail-server.ts';

const mails = await startMailServer();
afterAll(() => mails[Symbol.asyncDispose]());
beforeEach(() => mails.hold(true));
afterEach(() => mails.hold(false));

function newMailer(options: Partial<SmtpOptions> = {}) {
  const mailer = createMailer({
    url: mails.url,
    from: 'tocsin@example.com',
    logger: { warn: () => undefined },
    connections: 5,
    signal: new AbortController().signal,
    ...options,
  });
  const send = (tenant: string, to: string) =>
    mailer.send({ id: v7(), tenant, to: [to], subject: 'Shop is down', text: 'Shop', html: '<p>Shop</p>' });
  return { send, [Symbol.dispose]: mailer[Symbol.dispose] };
}

/** Returns an address that no other test uses. The server holds emails to it. */
const heldAddress = () => `held.${v7()}@example.com`;
const received = (addresses: readonly string[]) => addresses.filter((to) => mails.to(to).length > 0);

test('an organization with many emails that the server does not respond to does not delay the email of another', async () => {
  using mailer = newMailer();
  const addresses = Array.from({ length: 50 }, heldAddress);
  const sent = addresses.map((to) => mailer.send('acme', to));
  await eventually(() => expect(received(addresses)).toHaveLength(4));
  expect(await mailer.send('globex', 'joe@example.com')).toMatchObject({ kind: 'delivered' });
  expect(received(addresses)).toHaveLength(4);
  mails.hold(false);
  for (const outcome of await Promise.all(sent)) expect(outcome).toMatchObject({ kind: 'delivered' });
});

test('the time limit of an attempt begins when the email has a connection', async () => {
  using mailer = newMailer({ connections: 1, limits: { waitMs: 30_000, attemptMs: 2_000 } });
  const first = mailer.send('acme', heldAddress());
  const second = mailer.send('acme', 'jane@example.com');
  expect(await first).toMatchObject({ kind: 'failed', isOurs: true, mayBeAccepted: true });
  expect(await second).toMatchObject({ kind: 'delivered' });
});

test.each(['that has waited for too long', 'that waits when the service stops'])(
  'an email %s fails and is not sent later',
  async (which) => {
    const stop = new AbortController();
    const waitMs = which === 'that has waited for too long' ? 500 : 30_000;
    using mailer = newMailer({ connections: 1, signal: stop.signal, limits: { waitMs, attemptMs: 30_000 } });
    const [held, waiting] = [heldAddress(), `${v7()}@example.com`];
    const first = mailer.send('acme', held);
    await eventually(() => expect(received([held])).toEqual([held]));
    const second = mailer.send('acme', waiting);
    if (which === 'that waits when the service stops') stop.abort();
    expect(await second).toEqual({
      kind: 'failed',
      error: 'the mail waited too long for a connection to the SMTP server',
      httpStatus: undefined,
      isOurs: true,
    });
    mails.hold(false);
    expect(await first).toMatchObject({ kind: 'delivered' });
    expect(await mailer.send('acme', 'jane@example.com')).toMatchObject({ kind: 'delivered' });
    expect(received([waiting])).toEqual([]);
  },
);
