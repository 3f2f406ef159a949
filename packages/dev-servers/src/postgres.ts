import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { stopOrphan } from './orphans.ts';
import { isPortFree } from './ports.ts';
import { openPostgresHome, type PostgresHome } from './postgres-home.ts';
import { codeOf, messageOf, Problem } from './problem.ts';
import { identityOf } from './process-identity.ts';
import { supervise } from './processes.ts';

export interface PostgresOptions {
  /** Folder for the cluster and its settings. Created on the first start. */
  readonly dataDir: string;
  readonly port: number;
  /** File to which the server's messages are appended. */
  readonly log: string;
  /** Whether data survives a power cut. Defaults to true; false is faster, for tests. */
  readonly durable?: boolean;
  /** Size of the shared buffers, in MB. Defaults to 96. */
  readonly sharedBuffersMb?: number;
  /** Called with a message when the server has died and is being restarted. */
  readonly say?: (line: string) => void;
  readonly signal?: AbortSignal;
}

export interface LocalPostgres extends AsyncDisposable {
  /**
   * URL of the database `tocsin` with the superuser as the role. It uses the server's Unix socket, which is faster than
   * TCP.
   */
  readonly url: string;
  /** Process id of the postmaster; undefined while it is down. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

const database = 'tocsin';

/**
 * Starts the bundled PostgreSQL server on 127.0.0.1 and keeps it running. Returns when it accepts
 * connections. Data survives restarts and `kill -9`. A server that a killed supervisor left running is stopped first.
 * @throws Problem if the port is in use, the disk is full, or the data was created by another version.
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const { dataDir, port, log, durable = true, sharedBuffersMb = 96, say = () => undefined, signal } = options;
  const pidFile = join(dataDir, 'process.json');
  await stopOrphan(pidFile, 30_000);
  const home = await openPostgresHome(dataDir, durable);
  if (!(await isPortFree(port))) throw new Problem(`Port ${port}, meant for PostgreSQL, is taken by another program.`);

  const server = supervise(
    {
      name: 'PostgreSQL',
      command: join(home.binaries, 'bin', 'postgres'),
      args: ['-D', home.cluster, ...settings({ port, durable, sharedBuffersMb, socketFolder: socketFolder(home) })],
      // The locale is C, because messages are parsed. No other variable is inherited.
      env: { LC_ALL: 'C', TZ: 'UTC' },
      cwd: home.cluster,
      ...(home.user && { user: home.user }),
      logFile: log,
      pidFile,
      // SIGINT requests a fast shutdown, whereas SIGTERM would wait for clients to disconnect.
      stopSignal: 'SIGINT',
      stopTimeoutMs: 30_000,
      beforeStart: async () => removeStaleLock(home.cluster),
    },
    say,
  );
  try {
    await server.ready(() => responses(urlOf(home, port, 'postgres')), { ...(signal && { signal }) });
    await createDatabase(urlOf(home, port, 'postgres'));
  } catch (error) {
    await server.stop();
    throw explained(error, home);
  }
  return {
    url: urlOf(home, port, database),
    get pid() {
      return server.pid;
    },
    stop: () => server.stop(),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

function urlOf(home: PostgresHome, port: number, name: string): string {
  const folder = socketFolder(home);
  const socket = folder && `?host=${encodeURIComponent(folder)}`;
  return `postgres://postgres:${home.password}@127.0.0.1:${port}/${name}${socket}`;
}

/**
 * Maximum length of the path of the socket's folder, in bytes. On Linux, the path of a socket, including its name
 * `.s.PGSQL.<port>`, has at most 107 bytes.
 */
const SOCKET_FOLDER_LENGTH = 90;

/**
 * Returns the folder for the server's Unix socket. This is the folder of the cluster, which only the server's user and
 * root may enter. Returns an empty string if its path is too long for a socket.
 */
function socketFolder({ cluster }: PostgresHome): string {
  return Buffer.byteLength(cluster) <= SOCKET_FOLDER_LENGTH ? cluster : '';
}

/**
 * Returns the settings as command-line options instead of a file in the cluster, so that a later version of Tocsin can
 * change them.
 */
function settings({
  port,
  durable,
  sharedBuffersMb,
  socketFolder,
}: Required<Pick<PostgresOptions, 'port' | 'durable' | 'sharedBuffersMb'>> & { socketFolder: string }): string[] {
  const values: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: socketFolder,
    max_connections: '200',
    // The default is small, because the operating system also caches the files. Unlike shared buffers, that memory is
    // available to other programs when they need it.
    shared_buffers: `${sharedBuffersMb}MB`,
    effective_cache_size: '1GB',
    random_page_cost: '1.1',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    wal_compression: 'on',
    jit: 'off',
    // Disable the workers for asynchronous reads and for logical replication. They would use memory without any
    // benefit.
    io_method: 'sync',
    max_logical_replication_workers: '0',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %u ',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function responses(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    // Do not retry after the error invalid_password: settings.json belongs to another cluster.
    if (codeOf(error) === '28P01') throw error;
    return false;
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}

/**
 * Removes a stale postmaster.pid. After a reboot, the pid in the file may belong to another process, and PostgreSQL
 * would refuse to start. The file is stale if the working directory of the process is not the cluster, because a
 * postmaster always runs in its cluster.
 */
function removeStaleLock(cluster: string): void {
  const lock = join(cluster, 'postmaster.pid');
  try {
    const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
    if (identityOf(pid) === undefined || process.platform !== 'linux') return;
    if (workingDirectory(pid) === realpathSync(cluster)) {
      throw new Problem(`The database in ${cluster} is already served by process ${pid}: stop that first.`);
    }
    rmSync(lock);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/**
 * Returns the working directory of a process. Returns undefined for a process of another user, because it can't be our
 * postmaster.
 */
function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function explained(error: unknown, home: PostgresHome): unknown {
  if (codeOf(error) === '28P01') {
    return new Problem(
      `The password in settings.json is not that of the database in ${home.cluster}: restore the file.`,
    );
  }
  if (!(error instanceof Problem)) return error;
  const sentence = [
    { pattern: /No space left on device/, text: `PostgreSQL can't start: the disk of ${home.cluster} is full.` },
    { pattern: /could not bind|Address already in use/, text: "PostgreSQL can't start: its port is taken." },
  ].find(({ pattern }) => pattern.test(messageOf(error)))?.text;
  return sentence === undefined ? error : new Problem(sentence, { cause: error });
}
