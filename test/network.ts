import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pickFreePort } from '@tocsin/dev-servers/ports';
import { removePostgresHome } from '@tocsin/dev-servers/postgres-home';
import { type RunningInstallation, startInstallation } from '@tocsin/local/installation';
import type { Progress } from '@tocsin/local/progress';
import type { ProcessName } from '@tocsin/local/service-names';
import { type Api, createApi } from './api.ts';

export interface Network extends AsyncDisposable {
  readonly installation: RunningInstallation;
  /** Client for the public API, with a key of the first organization. The key has all permissions. */
  readonly api: Api;
  readonly baseUrl: string;
  /** Data folder of the installation, with its logs, secrets and `bootstrap.json`. */
  readonly dataDir: string;
  /** Returns the id of the process that runs a service or a server; undefined while it is being restarted. */
  pidOf(name: string): number | undefined;
  /**
   * Kills the process that runs a service or a server, which may run all other services, too. Its supervisor restarts
   * it. Does nothing while the process is being restarted.
   * @throws Error if the installation has no such process.
   */
  kill(victim: string): void;
  /** Returns the log of the process that runs a service or a server. */
  readLog(name: string): Promise<string>;
  /** Returns the value of a metric of a process, summed over all labels; 0 if the metric does not exist. */
  metric(process: string, name: string): Promise<number>;
}

export type Victim = ProcessName | 'postgres' | 'nats';

export const VICTIMS: readonly Victim[] = [
  'identity',
  'monitor',
  'checker',
  'disruption',
  'statuspage',
  'notifier',
  'gateway',
  'postgres',
  'nats',
];

/** Name of the process that runs all services, if they have none of their own. */
const ALL_SERVICES = 'tocsin';

export interface NetworkOptions {
  /** Data folder, which the caller removes. By default, a temporary folder that is removed at the end. */
  readonly dataDir?: string;
  /** Additional Node.js options for each program. */
  readonly nodeOptions?: readonly string[];
}

/**
 * Starts the whole product like `npm start`, in a temporary folder and on free ports. By default, all parts are
 * separate processes.
 */
export async function startNetwork(env: NodeJS.ProcessEnv = {}, options: NetworkOptions = {}): Promise<Network> {
  await using stack = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tocsin-network-')));
  // PostgreSQL may run as another user, which needs access to the folder.
  await chmod(dataDir, 0o711);
  if (options.dataDir === undefined) stack.defer(() => removeNetwork(dataDir));
  const workspace = join(import.meta.dirname, '..');
  const port = await pickFreePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const installation = stack.use(
    await startInstallation({
      workspace,
      dataDir,
      port,
      progress: quiet,
      nodeOptions: options.nodeOptions ?? [],
      env: { ...process.env, ...quick, TOCSIN_LOG_LEVEL: 'warn', TOCSIN_BASE_URL: baseUrl, ...env },
    }),
  );
  const running = stack.move();
  const { postgres, nats, processes } = installation;
  const processOf = (name: string) => {
    if (name === 'postgres') return postgres;
    if (name === 'nats') return nats;
    return processes.get(name) ?? processes.get(ALL_SERVICES);
  };
  const pidOf = (name: string) => processOf(name)?.pid;
  return {
    installation,
    baseUrl,
    dataDir,
    api: createApi(baseUrl, installation.bootstrap.api_key),
    pidOf,
    kill(victim) {
      if (!processOf(victim)) throw new Error(`the installation has no process ${victim}`);
      const pid = pidOf(victim);
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    },
    readLog(name) {
      const isAlone = name === 'postgres' || name === 'nats' || processes.has(name);
      return readFile(join(dataDir, 'logs', `${isAlone ? name : ALL_SERVICES}.log`), 'utf8');
    },
    async metric(name, metric) {
      const response = await fetch(`http://${installation.bootstrap.admin[name]}/metrics`);
      const lines = (await response.text())
        .split('\n')
        .filter((line) => line.startsWith(metric) && !line.startsWith('#'));
      const values = lines
        .filter((line) => /^[ {]/.test(line.slice(metric.length)))
        .map((line) => Number(line.split(' ').at(-1)));
      return values.reduce((sum, value) => sum + value, 0);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Removes the data folder of a network that was stopped. */
export async function removeNetwork(dataDir: string): Promise<void> {
  await removePostgresHome(join(dataDir, 'postgres'));
  await rm(dataDir, { recursive: true, force: true });
}

/** Settings for tests: no connectivity references, and no limits that tests would reach. */
export const quick = {
  // The processes are separate, because tests stop and kill single services.
  TOCSIN_PROCESSES: process.env.TOCSIN_PROCESSES || 'separate',
  // One region starts faster than two. Tests that need several regions set this variable.
  TOCSIN_REGIONS: 'local',
  // Tests connect only to this machine, so there are no connectivity references.
  TOCSIN_CHECKER_REFERENCES: '',
  TOCSIN_NOTIFIER_REFERENCES: '',
  // The message limits are disabled, because journeys count every alert.
  TOCSIN_STORM_MONITORS: '0',
  TOCSIN_CALM_CHANGES: '0',
  TOCSIN_MAX_MESSAGES_PER_HOUR: '0',
  // The limits are disabled, because tests poll often. Separate tests cover the limits.
  TOCSIN_RATE_LIMIT_STATS: '0',
  TOCSIN_RATE_LIMIT_READ: '0',
  TOCSIN_RATE_LIMIT_WRITE: '0',
  TOCSIN_RATE_LIMIT_FAILED_CREDENTIALS: '0',
  TOCSIN_RATE_LIMIT_PAGES: '0',
  TOCSIN_RATE_LIMIT_OAUTH: '0',
  TOCSIN_RATE_LIMIT_OAUTH_ATTEMPTS: '0',
  TOCSIN_LIMIT_STATS_PER_MINUTE: '0',
  TOCSIN_LIMIT_READS_PER_MINUTE: '0',
  TOCSIN_LIMIT_WRITES_PER_MINUTE: '0',
};

/** Environment of tests that kill one service while the others continue, whatever TOCSIN_PROCESSES is. */
export const separateProcesses = { TOCSIN_PROCESSES: 'separate' } as const;

/** Whether each service has a process of its own, so that a test can kill it alone. */
export const hasSeparateProcesses = quick.TOCSIN_PROCESSES === 'separate';

const quiet: Progress = {
  step: (_text, work) => work(),
  say: () => undefined,
};
