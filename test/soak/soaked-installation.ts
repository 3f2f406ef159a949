import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberPorts } from '@tocsin/dev-servers/ports';
import { portNames } from '@tocsin/local/service-environment';
import { type Plan, plansFor, serviceNames, storedNames } from '@tocsin/local/service-names';
import { type Network, removeNetwork, startNetwork } from '../network.ts';
import type { Link, Program, Server } from './fault.ts';
import type { Injectable } from './fault-injector.ts';
import { type LinkProxy, startLinkProxy } from './link-proxy.ts';
import { IN_PROGRAM, type ProgramSetup } from './program-setup.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

const REGIONS = ['east', 'west'];
const PLANS = plansFor(REGIONS);

export const PROGRAMS: readonly Program[] = PLANS.map(({ name }) => name);

/** Link over which alerts are delivered. */
export const TO_RECEIVER: Link = { from: 'notifier', to: 'receiver' };

/** Every link between programs, servers and the receiver of alerts. */
export const LINKS: readonly Link[] = [
  ...PLANS.flatMap((plan) => Object.values(variablesOf(plan)).map((to) => ({ from: plan.name, to }))),
  TO_RECEIVER,
];

/** An installation whose processes, links, clocks and disks can be disturbed. */
export interface SoakedInstallation extends Injectable, AsyncDisposable {
  readonly network: Network;
}

/**
 * Starts the product with a proxy on each link.
 *
 * @param receiverPort Port of the receiver of alerts, which is reached through the proxy of TO_RECEIVER.
 * @param withDisks Whether PostgreSQL and NATS have separate disks that can be filled. This requires root.
 */
export async function startSoakedInstallation(receiverPort: number, withDisks: boolean): Promise<SoakedInstallation> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-soak-'));
  // PostgreSQL may run as another user, which needs access to the folder.
  await chmod(dataDir, 0o711);
  stack.defer(() => removeNetwork(dataDir));
  const disks = new Map<string, SmallDisk>();
  if (withDisks) {
    for (const server of ['postgres', 'nats']) {
      disks.set(server, stack.use(await mountSmallDisk(join(dataDir, server))));
    }
  }

  const ports = await rememberPorts(join(dataDir, 'ports.json'), portNames(PLANS));
  const portOf = (to: string) => (to === 'receiver' ? receiverPort : (ports[to] ?? ports[`${to}Rpc`] ?? 0));
  const proxies = new Map<string, LinkProxy>();
  for (const { from, to } of LINKS) proxies.set(`${from} ${to}`, stack.use(await startLinkProxy(portOf(to))));
  const proxyOf = ({ from, to }: Link) => found(proxies, `${from} ${to}`);

  const clocks = join(dataDir, 'clocks');
  await mkdir(clocks);
  const clockFileOf = (program: Program) => join(clocks, program);
  await Promise.all(PROGRAMS.map((program) => writeFile(clockFileOf(program), '0')));
  const setups = PLANS.map((plan): [number | undefined, ProgramSetup] => [
    ports[`${plan.name}Admin`],
    {
      clockFile: clockFileOf(plan.name),
      ports: Object.fromEntries(
        Object.entries(variablesOf(plan)).map(([variable, to]) => [variable, proxyOf({ from: plan.name, to }).port]),
      ),
    },
  ]);
  const setupFile = join(dataDir, 'setups.json');
  await writeFile(setupFile, JSON.stringify(Object.fromEntries(setups)));

  const network = stack.use(
    await startNetwork(
      { TOCSIN_REGIONS: REGIONS.join(','), TOCSIN_SOAK: setupFile },
      { dataDir, nodeOptions: ['--import', IN_PROGRAM] },
    ),
  );
  const running = stack.move();
  return {
    network,
    proxyOf,
    clockFileOf,
    diskOf: (server: Server) => found(disks, server),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns the server or service that each URL variable of a program points to, by variable. */
function variablesOf({ process: program }: Plan): Record<string, string> {
  const servers = {
    TOCSIN_NATS_URL: 'nats',
    ...(storedNames.some((name) => name === program) && { TOCSIN_DATABASE_URL: 'postgres' }),
  };
  const services = serviceNames
    .filter((service) => service !== program && service !== 'checker')
    .map((service) => [`TOCSIN_${service.toUpperCase()}_URL`, service]);
  return { ...servers, ...Object.fromEntries(services) };
}

function found<Value>(values: ReadonlyMap<string, Value>, key: string): Value {
  const value = values.get(key);
  if (value === undefined) throw new Error(`this installation has no ${key}`);
  return value;
}
