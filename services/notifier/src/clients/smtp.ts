import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { SendMail } from '../app/ports.ts';
import type { Outcome } from '../domain/outcome.ts';
import { inTurns } from './mail-turns.ts';
import { outcomeOfAccepted, outcomeOfSmtpError } from './smtp-outcome.ts';

interface Log {
  warn(about: object, message: string): void;
}

export interface SmtpOptions {
  /**
   * URL of the mail server: `smtp://user:password@host:587` (TLS if the server offers it) or `smtps://…:465`. Undefined
   * if there is no mail server.
   */
  readonly url: string | undefined;
  /** Sender, such as `Tocsin <tocsin@example.com>` or an address alone. */
  readonly from: string;
  readonly logger: Log;
  /** Maximum number of connections at the same time. */
  readonly connections: number;
  /** Aborted when the service must stop. Emails that wait for a connection then fail. */
  readonly signal: AbortSignal;
  /** Time limits in milliseconds, for the wait for a connection and then for the attempt. Default: LIMITS. */
  readonly limits?: typeof LIMITS;
}

export interface Mailer extends Disposable {
  readonly send: SendMail;
  /** Outcome of every email if there is no mail server; undefined otherwise. */
  readonly unavailable: Outcome | undefined;
}

const TIMEOUT_MS = 10_000;
/** Both limits together must be shorter than the lease of a delivery by email. */
const LIMITS = { waitMs: 40_000, attemptMs: 20_000 };
const NO_SERVER: Outcome = { kind: 'unable', error: 'no SMTP server is configured (TOCSIN_SMTP_URL)' };

/**
 * Sends emails through the operator's SMTP server, over a few persistent connections. Tenants take turns: see
 * inTurns().
 */
export function createMailer({ url, from, logger, connections, signal, limits = LIMITS }: SmtpOptions): Mailer {
  if (url === undefined) {
    return { send: async () => NO_SERVER, unavailable: NO_SERVER, [Symbol.dispose]: () => undefined };
  }
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: connections,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    // The content comes from tenants. nodemailer must not read files or fetch URLs that the content names.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // Streams from which emails are read, by their signals. If an email is sent again over another connection, it has
  // several.
  const streams = new WeakMap<AbortSignal, Readable[]>();
  transport.use('stream', ({ data, message }, done) => {
    message?.processFunc((stream) => {
      if (data.signal) streams.get(data.signal)?.push(stream);
      return stream;
    });
    done();
  });
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
  const send: SendMail = async ({ id, to, subject, text, html, unsubscribeUrl, thread }) => {
    const limit = AbortSignal.timeout(limits.attemptMs);
    const read: Readable[] = [];
    streams.set(limit, read);
    try {
      const { accepted, rejectedErrors = [] } = await transport.sendMail({
        from,
        subject,
        text,
        html,
        messageId: `<${id}@${domain}>`,
        to: to.map((address) => ({ name: '', address })),
        ...(thread !== undefined && { references: `<${thread}@${domain}>` }),
        headers: {
          // Prevents automatic replies (RFC 3834).
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribeUrl !== undefined && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
        signal: limit,
      });
      return outcomeOfAccepted(accepted, rejectedErrors);
    } catch (error) {
      logger.warn({ delivery_id: id }, `the SMTP server did not take a mail: ${describeError(error)}`);
      return outcomeOfSmtpError(error, { wasRead: read.some(({ readableDidRead }) => readableDidRead) });
    }
  };
  return {
    unavailable: undefined,
    send: inTurns(send, { slots: connections, maxWaitMs: limits.waitMs, signal }),
    [Symbol.dispose]: () => transport.close(),
  };
}

/** Returns the error's message for the operator, with email addresses redacted. */
function describeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/[^\s<>]+@[^\s<>]+/g, '(an address)');
}
