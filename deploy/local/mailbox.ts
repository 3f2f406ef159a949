import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { mailboxPage, mailPage } from './mailbox-pages.ts';

/** A received mail. */
export interface StoredMail {
  readonly id: number;
  readonly arrivedAt: Date;
  readonly to: readonly string[];
  readonly email: Email;
}

/** Maximum number of mails. Mails are stored only in memory, and the oldest are dropped. */
const MAX_MAILS = 200;
/** Maximum size of a mail, in bytes. The product's mails are smaller. */
const MAX_MAIL_BYTES = 1_000_000;

export interface Mailbox extends AsyncDisposable {
  /** URL of the SMTP server that receives mails. */
  readonly smtpUrl: string;
  /** URL of the web page that shows the mails. */
  readonly url: string;
}

/** Starts a mail server on this machine that delivers nothing and shows all mails on a web page, newest first. */
export async function startMailbox({ smtpPort, webPort }: { smtpPort: number; webPort: number }): Promise<Mailbox> {
  await using stack = new AsyncDisposableStack();
  const mails: StoredMail[] = [];
  let last = 0;

  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: MAX_MAIL_BYTES,
    logger: false,
    onData(stream, { envelope }, done) {
      store(
        stream,
        envelope.rcptTo.map(({ address }) => address),
      ).then(() => done(), done);
    },
  });
  async function store(stream: NodeJS.ReadableStream, to: string[]): Promise<void> {
    const email = await PostalMime.parse(await buffer(stream));
    last += 1;
    mails.unshift({ id: last, arrivedAt: new Date(), to, email });
    mails.length = Math.min(mails.length, MAX_MAILS);
  }

  const web = createServer((request, response) => respond(mails, request, response));
  await new Promise<void>((resolve, reject) => smtp.once('error', reject).listen(smtpPort, '127.0.0.1', resolve));
  stack.defer(() => new Promise<void>((resolve) => smtp.close(() => resolve())));
  await new Promise<void>((resolve, reject) => web.once('error', reject).listen(webPort, '127.0.0.1', resolve));
  stack.defer(async () => {
    web.closeAllConnections();
    await new Promise((resolve) => web.close(resolve));
  });
  const running = stack.move();
  return {
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    url: `http://127.0.0.1:${webPort}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function respond(mails: readonly StoredMail[], { url = '/', method }: IncomingMessage, response: ServerResponse): void {
  const id = /^\/(\d+)$/.exec(url)?.[1];
  const mail = mails.find((one) => String(one.id) === id);
  if (method !== 'GET' || (url !== '/' && !mail)) send(response, 404, 'text/plain', 'there is no such mail');
  else send(response, 200, 'text/html', mail ? mailPage(mail) : mailboxPage(mails));
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    // Scripts are forbidden, because mails contain untrusted content.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self' about:",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  response.end(body);
}
