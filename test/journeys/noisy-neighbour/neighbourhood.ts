import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { ALL_PERMISSIONS } from '@tocsin/enums';
import { createAdminClient } from '@tocsin/local/admin-client';
import { reply, startNameServer } from '../../../services/checker/test/name-server.ts';
import { type Network, startNetwork } from '../../network.ts';
import { attacks } from './attacks.ts';
import { startVictim, type Victim } from './victim.ts';
import { type Order, sum, type Tally } from './world.ts';

const SILENT_DOMAIN = 'silent.example';
const RECEIVER_HOST = 'receiver.victim.example';

/** Attacks of one organization in progress. */
export interface RunningAttacks {
  /** Stops the attacks and returns their statuses. */
  stop(): Promise<Tally>;
}

/** An installation that an organization shares with hostile organizations. */
export interface Neighbourhood extends AsyncDisposable {
  readonly network: Network;
  /** Creates a monitor of the victim, with a channel and a page. */
  newVictim(): Promise<Victim>;
  /** Starts attacks by a new organization. Returns when all of them have begun. */
  attack(names: readonly string[], size: number): Promise<RunningAttacks>;
  /** Returns the peak memory of each process so far, by name, in MiB. */
  memory(): Promise<Map<string, number>>;
}

export const attackNames = Object.keys(attacks);

/** Starts an installation with the default limits. Its name servers never respond for one domain. */
export async function startNeighbourhood(env: NodeJS.ProcessEnv = {}): Promise<Neighbourhood> {
  await using stack = new AsyncDisposableStack();
  const names = stack.use(
    await startNameServer((question) => {
      const { name, type } = question;
      if (name.endsWith(SILENT_DOMAIN)) return [];
      const isKnown = name === RECEIVER_HOST && type === 'A';
      return [reply(question, { answers: isKnown ? [{ type: 'A', name, data: '127.0.0.1' }] : [] })];
    }),
  );
  const network = stack.use(
    await startNetwork({
      TOCSIN_NAME_SERVERS: `127.0.0.1:${names.port}`,
      TOCSIN_CHROMIUM: await installChromium(process.env),
      // The number is low, so that the attacks use up the slots.
      TOCSIN_CHECKER_CONCURRENCY: '200',
      ...defaultLimits,
      ...env,
    }),
  );
  const newKey = keysOf(network);
  const apiKey = await newKey('Victim');
  const running = stack.move();
  return {
    network,
    newVictim: () => startVictim(network, { apiKey, receiverHost: RECEIVER_HOST }),
    async attack(names, size) {
      const key = await newKey(names.join(', '));
      const order = { baseUrl: network.baseUrl, apiKey: key, silentDomain: SILENT_DOMAIN, size };
      const started = await Promise.all(names.map((attack) => startAttack({ ...order, attack })));
      return { stop: async () => sum(await Promise.all(started.map((stop) => stop()))) };
    },
    memory: () => memoryOf(network),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Default values of limits that other journeys disable. The read limit stays disabled, because the measurement polls
 * continuously.
 */
const defaultLimits = {
  TOCSIN_RATE_LIMIT_STATS: '30',
  TOCSIN_RATE_LIMIT_WRITE: '600',
  TOCSIN_RATE_LIMIT_FAILED_CREDENTIALS: '60',
  TOCSIN_RATE_LIMIT_PAGES: '600',
  TOCSIN_LIMIT_STATS_PER_MINUTE: '120',
  TOCSIN_LIMIT_WRITES_PER_MINUTE: '2400',
};

/** Returns a function that creates an organization and returns a key for it with all permissions. */
function keysOf({ dataDir, installation }: Network): (name: string) => Promise<string> {
  let count = 0;
  return async (name) => {
    const secrets: { services: { admin: string } } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
    const admin = createAdminClient({
      identityUrl: `http://${installation.bootstrap.grpc.identity}`,
      secret: secrets.services.admin,
    });
    count += 1;
    const { organization } = await admin.createOrganization({ name, ownerEmail: `owner-${count}@example.com` });
    const { key } = await admin.createApiKey({
      organizationId: organization?.id ?? '',
      name: 'CI',
      permissions: [...ALL_PERMISSIONS],
    });
    return key;
  };
}

/** Starts an attack. Returns a function that stops it and returns its statuses. */
async function startAttack(order: Order): Promise<() => Promise<Tally>> {
  const program = join(import.meta.dirname, 'attacker.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, JSON.stringify(order)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value } = await lines.next();
    if (typeof value !== 'string') throw new Error(`the attack "${order.attack}" ended by itself`);
    return value;
  };
  await line();
  return async () => {
    child.stdin.end();
    return JSON.parse(await line());
  };
}

async function memoryOf({ installation: { processes, nats } }: Network): Promise<Map<string, number>> {
  const pids = [...[...processes].map(([name, { pid }]) => [name, pid] as const), ['nats', nats?.pid] as const];
  const found = await Promise.all(
    pids.map(async ([name, pid]) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      // Returns the peak of the resident set (VmHWM, proc_pid_status(5)).
      return [name, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024] as const;
    }),
  );
  return new Map(found);
}
