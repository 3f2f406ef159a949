import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findChromium } from '@tocsin/dev-servers/find-chromium';
import { type LocalNats, startNats } from '@tocsin/dev-servers/nats';
import { stopOrphan } from '@tocsin/dev-servers/orphans';
import { isPortFree, rememberPorts } from '@tocsin/dev-servers/ports';
import { type LocalPostgres, startPostgres } from '@tocsin/dev-servers/postgres';
import { Problem } from '@tocsin/dev-servers/problem';
import { type ProcessPlan, type SupervisedProcess, supervise } from '@tocsin/dev-servers/processes';
import { type Bootstrap, writeBootstrap } from './bootstrap-file.ts';
import { BUNDLE_ENTRY, bundleServices } from './bundle.ts';
import { lockDataFolder } from './data-folder.ts';
import { type Mailbox, startMailbox } from './mailbox.ts';
import { natsUsers } from './nats-users.ts';
import { optionsOfAll, optionsOfOneProcess } from './node-options.ts';
import type { Progress } from './progress.ts';
import { openSecrets } from './secrets.ts';
import { commonEnvironment, environmentOf, type Installation, portNames, rpcUrlOf } from './service-environment.ts';
import { type Plan, type ProcessName, plansFor, processNames, regionsOf, serviceNames } from './service-names.ts';
import { startSetUp } from './set-up.ts';
import { checkDisk, checkNats } from './surroundings.ts';

export interface InstallationOptions {
  /** Folder that contains `services/` and `gateway/`. */
  readonly workspace: string;
  readonly dataDir: string;
  /** Public port of the gateway. */
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  readonly progress: Progress;
  /** Additional Node.js options for each program. */
  readonly nodeOptions?: readonly string[];
  /** Aborts a start in progress. */
  readonly signal?: AbortSignal;
}

export interface RunningInstallation extends AsyncDisposable {
  readonly bootstrap: Bootstrap;
  /** One-time link that signs in the first owner; undefined if this user no longer exists. */
  readonly signInLink: string | undefined;
  /** Running processes, by process name. */
  readonly processes: ReadonlyMap<string, SupervisedProcess>;
  /** Local PostgreSQL server; undefined if TOCSIN_DATABASE_URL is set, because that server is then used. */
  readonly postgres: LocalPostgres | undefined;
  /** Local mailbox; undefined if a mail server is configured with TOCSIN_SMTP_URL or TOCSIN_SMTP_URL_FILE. */
  readonly mailbox: Mailbox | undefined;
  /** Local NATS server; undefined if TOCSIN_NATS_URL is set, because that server is then used. */
  readonly nats: LocalNats | undefined;
}

/**
 * Starts all processes of the installation. Returns when the public port accepts requests. Disposing stops the gateway,
 * then the services, then NATS and PostgreSQL, so that each can finish its work.
 * @throws Problem if the start fails; processes that were already started are stopped.
 */
export async function startInstallation(options: InstallationOptions): Promise<RunningInstallation> {
  const { dataDir, port, env, progress, signal } = options;
  await using started = new AsyncDisposableStack();
  started.use(await lockDataFolder(dataDir));
  const plans = plansFor(regionsOf(env));
  await stopOrphans(dataDir, progress);
  await checkDisk(dataDir);
  if (!(await isPortFree(port))) {
    throw new Problem(`Port ${port} is taken by another program: set TOCSIN_PORT to a free one.`);
  }
  const ports = await rememberPorts(join(dataDir, 'ports.json'), portNames(plans));
  const secrets = await openSecrets(dataDir);
  await using setUp = startSetUp(compileCacheOf(options.workspace));
  const together = runsInOneProcess(env) ? launchTogether(await bundleServices(options), options) : undefined;
  if (together) started.use(together.process);
  const tools = { say: progress.say, ...(signal && { signal }) };
  const log = (name: string) => join(dataDir, 'logs', `${name}.log`);

  const postgres = env.TOCSIN_DATABASE_URL
    ? undefined
    : await progress.step('PostgreSQL', () =>
        startPostgres({
          dataDir: join(dataDir, 'postgres'),
          port: ports.postgres ?? 0,
          log: log('postgres'),
          ...(together && { sharedBuffersMb: SHARED_BUFFERS_OF_ONE_PROCESS_MB }),
          ...tools,
        }),
      );
  if (postgres) started.use(postgres);
  const nats = env.TOCSIN_NATS_URL
    ? await checkNats(env.TOCSIN_NATS_URL)
    : await progress.step('NATS', () =>
        startNats({
          dataDir: join(dataDir, 'nats'),
          port: ports.nats ?? 0,
          users: natsUsers(secrets.nats),
          log: log('nats'),
          ...tools,
        }),
      );
  if (nats) started.use(nats);

  const hasMailServer = Boolean(env.TOCSIN_SMTP_URL || env.TOCSIN_SMTP_URL_FILE);
  const mailbox = hasMailServer
    ? undefined
    : started.use(await startMailbox({ smtpPort: ports.mailboxSmtp ?? 0, webPort: ports.mailboxWeb ?? 0 }));

  const installation: Installation = {
    port,
    baseUrl: env.TOCSIN_BASE_URL || `http://localhost:${port}`,
    ports,
    natsUrls: natsUrls(nats, env.TOCSIN_NATS_URL),
    databaseUrls: await progress.step('Database of each service', () =>
      setUp.prepareDatabases(postgres?.url ?? env.TOCSIN_DATABASE_URL ?? '', secrets),
    ),
    secrets,
    mailboxUrl: mailbox?.smtpUrl,
    env: { ...env, TOCSIN_CHROMIUM: (await findChromium(env)) ?? '' },
  };
  together?.run(plans, installation);
  const processes = new Map(
    together ? [['tocsin', together.process]] : plans.map((plan) => [plan.name, launch(plan, installation, options)]),
  );
  started.defer(async () => {
    await processes.get('gateway')?.stop();
    await Promise.all([...processes.values()].map((process) => process.stop()));
  });
  await progress.step('Services and gateway', () =>
    Promise.all(
      plans.map(({ name }) =>
        ready(
          (processes.get(name) ?? processes.get('tocsin')) as SupervisedProcess,
          ports[`${name}Admin`] ?? 0,
          signal,
        ),
      ),
    ),
  );

  const { signInLink, ...first } = await setUp.prepareOrganization({
    dataDir,
    identityUrl: rpcUrlOf('identity', installation),
    secret: secrets.services.admin,
    tlsFolder: env.TOCSIN_TLS_DIR || undefined,
  });
  const bootstrap: Bootstrap = {
    base_url: installation.baseUrl,
    ...first,
    grpc: Object.fromEntries(serviceNames.map((name) => [name, `127.0.0.1:${ports[`${name}Rpc`]}`])),
    admin: Object.fromEntries(plans.map(({ name }) => [name, `127.0.0.1:${ports[`${name}Admin`]}`])),
  };
  await writeBootstrap(dataDir, bootstrap);
  const running = started.move();
  return {
    bootstrap,
    signInLink,
    processes,
    postgres,
    mailbox,
    nats,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Returns the NATS URL of each process. For the local server, each process has a separate user; for another server, the
 * configured URL is used.
 */
function natsUrls(nats: LocalNats | undefined, given = ''): Record<ProcessName, string> {
  const entries = processNames.map((name) => [name, nats?.urlOf(name) ?? given]);
  return Object.fromEntries(entries);
}

/**
 * PostgreSQL fills its shared buffers within days and never returns their memory. The files of a small installation are
 * in the cache of the operating system, from which reading costs little.
 */
const SHARED_BUFFERS_OF_ONE_PROCESS_MB = 16;

function launch(plan: Plan, installation: Installation, options: InstallationOptions): SupervisedProcess {
  const { name, process: program } = plan;
  const folder = program === 'gateway' ? 'gateway' : join('services', program);
  const file = join(folder, 'src', 'main.ts');
  return launchProgram({ name, file, env: environmentOf(plan, installation) }, options);
}

/** One process for all programs. */
interface Together {
  readonly process: SupervisedProcess;
  /** Runs the programs in the process, also after each restart. */
  run(plans: readonly Plan[], installation: Installation): void;
}

/**
 * Launches one process for all programs. It loads their bundle, which is in `folder`, and runs the programs when they
 * are given.
 */
function launchTogether(folder: string, options: InstallationOptions): Together {
  const { promise: input, resolve } = Promise.withResolvers<string>();
  const file = join('deploy', 'local', 'one-process.ts');
  const nodeOptions = [...optionsOfOneProcess, ...(options.nodeOptions ?? [])];
  const env = {
    // The compiled code is removed together with the bundle.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    // The C library has two heaps for all threads instead of one for each, which saves about 8 MB.
    MALLOC_ARENA_MAX: '2',
    ...commonEnvironment(options.env),
  };
  const args = [pathToFileURL(join(folder, BUNDLE_ENTRY)).href];
  const process = launchProgram({ name: 'tocsin', file, args, env, input }, { ...options, nodeOptions });
  return {
    process,
    run(plans, installation) {
      const programs = plans.map((plan) => ({
        process: plan.process,
        // Each connection costs about 4 MB in PostgreSQL.
        env: { TOCSIN_DATABASE_CONNECTIONS: '4', ...environmentOf(plan, installation) },
      }));
      resolve(JSON.stringify(programs));
    },
  };
}

/**
 * Launches a program. Node stores the compiled sources, so that later starts take less time and memory.
 */
function launchProgram(
  {
    name,
    file,
    args = [],
    env,
    input,
  }: Pick<ProcessPlan, 'name' | 'env' | 'input'> & { readonly file: string; readonly args?: readonly string[] },
  { workspace, dataDir, progress, nodeOptions = [] }: InstallationOptions,
): SupervisedProcess {
  return supervise(
    {
      name,
      command: process.execPath,
      args: [...optionsOfAll, ...nodeOptions, join(workspace, file), ...args],
      env: { NODE_COMPILE_CACHE: compileCacheOf(workspace), ...env },
      cwd: workspace,
      ...(input && { input }),
      logFile: join(dataDir, 'logs', `${name}.log`),
      pidFile: join(runFolder(dataDir), `${name}.json`),
      // Milliseconds after which a process that does not stop is killed. A service may need 20 s to finish its work.
      stopTimeoutMs: 22_000,
    },
    progress.say,
  );
}

/** Returns the folder of the compiled sources. */
function compileCacheOf(workspace: string): string {
  return join(workspace, 'node_modules', '.cache', 'tocsin', 'compiled');
}

/** Returns whether all services run in one process, which is the default. */
function runsInOneProcess({ TOCSIN_PROCESSES: processes = 'one' }: NodeJS.ProcessEnv): boolean {
  if (processes === 'one' || processes === 'separate') return processes === 'one';
  throw new Problem(`TOCSIN_PROCESSES is ${JSON.stringify(processes)}: it should be "one" or "separate".`);
}

function runFolder(dataDir: string): string {
  return join(dataDir, 'run');
}

async function ready(process: SupervisedProcess, adminPort: number, signal: AbortSignal | undefined): Promise<void> {
  const url = `http://127.0.0.1:${adminPort}/readyz`;
  const check = () =>
    fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => {
        await response.body?.cancel();
        return response.ok;
      },
      () => false,
    );
  await process.ready(check, { ...(signal && { signal }) });
}

/**
 * Stops the processes that a killed installation left running, except PostgreSQL and NATS, because services may need
 * these servers while they stop. The old servers are stopped when the new ones are started.
 */
async function stopOrphans(dataDir: string, progress: Progress): Promise<void> {
  const folder = runFolder(dataDir);
  // The folder may also contain the pid files of checkers whose regions were removed.
  const files = await readdir(folder).catch(() => []);
  const stopped = await Promise.all(files.map((file) => stopOrphan(join(folder, file), 22_000)));
  const count = stopped.filter(Boolean).length;
  if (count > 0) progress.say(`  Stopped ${count} processes that an earlier start left behind`);
}
