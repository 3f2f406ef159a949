import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { writeFileAtomically } from './files.ts';
import { findNatsServer } from './find-nats-server.ts';
import { stopOrphan } from './orphans.ts';
import { isPortFree } from './ports.ts';
import { Problem } from './problem.ts';
import { supervise } from './processes.ts';
import { watchNats } from './watch-nats.ts';

/** A user that may connect. */
export interface NatsUser {
  readonly name: string;
  readonly password: string;
  /** Subjects to which the user may publish, with wildcards; all subjects if absent. */
  readonly publish?: readonly string[];
  readonly subscribe?: readonly string[];
}

export interface NatsOptions {
  /** Folder for the streams and the server's configuration. */
  readonly dataDir: string;
  readonly port: number;
  /** Users that may connect. Connections without credentials are refused. */
  readonly users: readonly [NatsUser, ...NatsUser[]];
  /** File to which the server's messages are appended. */
  readonly log: string;
  /** Path of nats-server; defaults to the result of `findNatsServer`. */
  readonly binary?: string;
  /** Called with a message when the server has died and is being restarted. */
  readonly say?: (line: string) => void;
  /** Milliseconds between two checks whether the server responds: see watchNats(). */
  readonly checkEveryMs?: number;
  readonly signal?: AbortSignal;
}

export interface LocalNats extends AsyncDisposable {
  /** URL with the credentials of the first user. */
  readonly url: string;
  /** Returns the URL with the credentials of a user. */
  urlOf(user: string): string;
  /** Process id of the server; undefined while it is down. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/**
 * Starts a NATS server with JetStream on 127.0.0.1 and keeps it running. Returns when its streams are loaded. The
 * streams survive restarts. A server that a killed supervisor left running is stopped first.
 */
export async function startNats(options: NatsOptions): Promise<LocalNats> {
  const { dataDir, port, users, log, say = () => undefined, signal } = options;
  const pidFile = join(dataDir, 'process.json');
  const configFile = join(dataDir, 'nats-server.conf');
  await mkdir(dataDir, { recursive: true });
  await stopOrphan(pidFile);
  if (!(await isPortFree(port))) throw new Problem(`Port ${port}, meant for NATS, is taken by another program.`);
  // The file is private, because it contains passwords.
  await writeFileAtomically(configFile, configuration(options), 0o600);

  const server = supervise(
    {
      name: 'NATS',
      command: options.binary ?? (await findNatsServer(say)),
      args: ['--config', configFile],
      // The server collects garbage when its heap has grown by 25 %, instead of doubling, which saves about 5 MB.
      env: { TZ: 'UTC', GOGC: '25' },
      logFile: log,
      pidFile,
    },
    say,
  );
  try {
    await server.ready(() => hasJetStream(port), { ...(signal && { signal }) });
  } catch (error) {
    await server.stop();
    throw error;
  }
  const url = natsUrl(port, users[0]);
  const watch = watchNats({ url, server, say, ...(options.checkEveryMs && { checkEveryMs: options.checkEveryMs }) });
  async function stop(): Promise<void> {
    await Promise.all([watch[Symbol.asyncDispose](), server.stop()]);
  }
  const urlOf = (user: string) => {
    const found = users.find(({ name }) => name === user);
    if (!found) throw new Error(`NATS has no user ${user}`);
    return natsUrl(port, found);
  };
  return {
    url,
    urlOf,
    get pid() {
      return server.pid;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Returns the configuration file, for nats-server 2.9 and later. */
function configuration({ dataDir, port, users }: NatsOptions): string {
  return `listen: "127.0.0.1:${port}"
server_name: "tocsin-local"
max_payload: 1MB
${authorization(users)}jetstream {
  store_dir: ${JSON.stringify(join(dataDir, 'streams'))}
  max_memory_store: 256MB
  max_file_store: 10GB
}
`;
}

/** Returns the part of the configuration file that names the users and their permissions. */
export function authorization(users: readonly NatsUser[]): string {
  return `authorization {\n  users = ${JSON.stringify(users.map(userEntry), null, 2)}\n}\n`;
}

/**
 * Returns the entry of a user for the configuration file, whose syntax includes JSON. A user without permissions may do
 * everything.
 */
function userEntry({ name, password, publish, subscribe }: NatsUser) {
  return { user: name, password, ...(publish && subscribe && { permissions: { publish, subscribe } }) };
}

/** Returns the URL of the server with the credentials of a user. */
export function natsUrl(port: number, { name, password }: NatsUser): string {
  return `nats://${encodeURIComponent(name)}:${encodeURIComponent(password)}@127.0.0.1:${port}`;
}

/**
 * Returns whether JetStream is enabled, according to the server's first line, `INFO {…}`. The server listens only after
 * JetStream has started.
 */
function hasJetStream(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 });
    const response = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    let greeting = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      greeting += chunk;
      if (greeting.includes('\r\n')) response(/^INFO .*"jetstream":true/.test(greeting));
    });
    socket.on('error', () => response(false));
    socket.on('timeout', () => response(false));
    socket.on('end', () => response(false));
  });
}
