import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { connect, createSecureContext, createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls';
import { Gauge } from 'prom-client';
import { untilItWorks } from './backoff.ts';
import { startLoop } from './loop.ts';
import type { Runtime } from './runtime.ts';

/** Interval at which the files are read again, in milliseconds. */
const READ_EVERY_MS = 10_000;

const MIN_VERSION = 'TLSv1.3';

/**
 * TLS files in a folder, named as in a cert-manager Secret: the certificate of this process, its private key, and the
 * certificates of the authorities that the process trusts.
 */
const FILES = ['tls.crt', 'tls.key', 'ca.crt'] as const;

/** Certificates of this process for connections to other processes of the installation. */
export interface Tls extends AsyncDisposable {
  /** Returns the certificates for a new connection. */
  context(): SecureContext;
  /** Creates a server that refuses clients without a certificate from a trusted authority. */
  createServer(onConnection: (socket: TLSSocket) => void, handshakeTimeoutMs: number): Server;
  /** Opens a connection, and verifies that the certificate of the server is valid for `name`, a host or an address. */
  connect(address: { host: string; port: number; name: string }): TLSSocket;
}

interface Loaded {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  readonly context: SecureContext;
}

export interface TlsOptions {
  /** Folder with tls.crt, tls.key and ca.crt; undefined without TLS. */
  readonly folder: string | undefined;
  readonly runtime: Pick<Runtime, 'logger' | 'signal' | 'metrics'>;
  readonly readEveryMs?: number;
}

/**
 * Waits until the files exist in the folder, and reads the certificates. Returns undefined without a folder. Reads the
 * files again every `readEveryMs`. If they were replaced, new connections use the new certificates. If the new files
 * are not valid, the earlier certificates stay in use.
 */
export async function openTls({ folder, runtime, readEveryMs = READ_EVERY_MS }: TlsOptions): Promise<Tls | undefined> {
  if (folder === undefined) return undefined;
  let current = await untilItWorks('the certificates', runtime, () => load(folder));
  const servers = new Set<Server>();
  const expiry = new Gauge({
    name: 'tocsin_tls_certificate_expires_seconds',
    help: 'Unix time at which the certificate of this process expires.',
    registers: [runtime.metrics],
  });
  const recordExpiry = () => expiry.set(new X509Certificate(current.cert).validToDate.getTime() / 1_000);
  recordExpiry();
  const reading = startLoop('reading the certificates', readEveryMs, runtime as Runtime, async () => {
    const next = await load(folder, current);
    if (next === current) return 'done';
    current = next;
    for (const server of servers) server.setSecureContext({ ...filesOf(current), minVersion: MIN_VERSION });
    recordExpiry();
    runtime.logger.info('new certificates are in use');
    return 'done';
  });
  return {
    context: () => current.context,
    createServer(onConnection, handshakeTimeout) {
      const mutual = { requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2', 'http/1.1'] };
      const options = {
        ...filesOf(current),
        ...mutual,
        minVersion: MIN_VERSION,
        handshakeTimeout,
        noDelay: true,
      } as const;
      const server = createServer(options, onConnection);
      server.on('tlsClientError', (error) => runtime.logger.debug({ err: error }, 'handshake failed'));
      servers.add(server);
      server.once('close', () => servers.delete(server));
      return server;
    },
    connect({ host, port, name }) {
      // An IP address can't be a server name (RFC 6066 §3). It is verified as the host of the connection.
      const servername = isIP(name) === 0 ? { servername: name } : {};
      const socket = connect({ host, port, secureContext: current.context, ALPNProtocols: ['h2'], ...servername });
      return socket.setNoDelay();
    },
    [Symbol.asyncDispose]: () => reading[Symbol.asyncDispose](),
  };
}

function filesOf({ cert, key, ca }: Loaded) {
  return { cert, key, ca };
}

/**
 * Reads the files. Returns `known` if the files have not changed.
 * @throws Error if a file is missing or the certificate does not belong to the key.
 */
async function load(folder: string, known?: Loaded): Promise<Loaded> {
  const [cert = '', key = '', ca = ''] = await Promise.all(FILES.map((file) => readFile(join(folder, file), 'utf8')));
  if (known && cert === known.cert && key === known.key && ca === known.ca) return known;
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error(`tls.crt in ${folder} does not belong to tls.key`);
  }
  // Without this check, a file that does not begin with the certificate of an authority would be accepted, and then
  // every connection would fail.
  if (new X509Certificate(ca).ca === false) throw new Error(`ca.crt in ${folder} has no authority first`);
  return { cert, key, ca, context: createSecureContext({ cert, key, ca, minVersion: MIN_VERSION }) };
}
