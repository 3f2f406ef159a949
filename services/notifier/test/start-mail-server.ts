import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** Email that the mail server received. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers by lower-case name. The lines of a folded header are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

/**
 * Starts an SMTP server. It rejects a recipient such as `550.jane@example.com` with the code 550, and a recipient such
 * as `once-450.jane@example.com` with 450 only the first time. It accepts all others. While it holds emails, it
 * receives one to a recipient such as `held.jane@example.com` and does not respond.
 */
export async function startMailServer() {
  const received: ReceivedMail[] = [];
  const seen = new Set<string>();
  let deaf: number | undefined;
  let hangsUp = false;
  let held: (() => void)[] | undefined;
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onMailFrom: ({ address }, _, done) => done(deaf === undefined ? undefined : failure(deaf, address)),
    onRcptTo({ address }, _, done) {
      const [, once, digits] = /^(once-)?(\d{3})\./.exec(address) ?? [];
      const isOver = once !== undefined && seen.has(address);
      const code = digits === undefined || isOver ? 250 : Number(digits);
      seen.add(address);
      done(code < 400 ? undefined : failure(code, address));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        const to = envelope.rcptTo.map(({ address }) => address);
        received.push({ from, to, ...parse(Buffer.concat(chunks).toString()) });
        if (held && to.some((address) => address.startsWith('held.'))) held.push(done);
        else if (hangsUp) for (const socket of sockets) socket.destroy();
        else done();
      });
    },
  });
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    /** Sets the code with which the server rejects all emails; undefined to accept emails again. */
    response(code: number | undefined) {
      deaf = code;
    },
    /** Sets whether the server closes all connections instead of responding to an email that it has received. */
    hangUp(value: boolean) {
      hangsUp = value;
    },
    /** Begins to hold emails, or responds to the held ones. */
    hold(value: boolean) {
      for (const done of held ?? []) done();
      held = value ? [] : undefined;
    },
    to: (address: string) => received.filter((mail) => mail.to.includes(address)),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function failure(responseCode: number, address: string): Error {
  return Object.assign(new Error(`the server at 10.1.2.3 says no to <${address}>`), { responseCode });
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const headers = headersOf(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = raw.split(`--${boundary}`).slice(1);
  const part = (type: string) => {
    const found = parts.find((candidate) => headersOf(candidate.trimStart())['content-type']?.startsWith(type)) ?? '';
    return decode(found.trimStart());
  };
  return { headers, text: part('text/plain'), html: part('text/html') };
}

function headersOf(part: string): Record<string, string> {
  const head = part.slice(0, part.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  const pairs = head.split('\r\n').map((line) => line.split(/: ?(.*)/s) as [string, string]);
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
}

function decode(part: string): string {
  const body = part.slice(part.indexOf('\r\n\r\n') + 4);
  const encoding = headersOf(part)['content-transfer-encoding'] ?? '7bit';
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n').trimEnd();
  const bytes = body.replace(/=\r\n/g, '').replace(/=([\dA-F]{2})/g, (_, hex: string) => `%${hex}`);
  const escaped = bytes.replace(/%(?![\dA-F]{2})/g, '%25');
  return decodeURIComponent(escaped).replaceAll('\r\n', '\n').trimEnd();
}
