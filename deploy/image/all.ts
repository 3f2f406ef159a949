/**
 * Runs all programs in one process, for an installation on one machine: `node all.ts [URL]`. The URL names a bundle of
 * run-together.ts; by default, the source is used. The programs share the environment.
 * TOCSIN_SERVICE_SECRETS needs to contain only the operator's secret: `admin:secret`. Besides the gateway's port, they
 * listen on six RPC ports, starting at TOCSIN_FIRST_PORT (7101), and on seven admin ports, starting at
 * TOCSIN_FIRST_PORT + 99.
 */
import { randomBytes } from 'node:crypto';
import type { ProgramPlan } from '@tocsin/local/run-together';
import { type ProcessName, processNames, serviceNames } from '@tocsin/local/service-names';

const { env } = process;
const firstPort = Number(env.TOCSIN_FIRST_PORT || 7101);
const rpcPorts = serviceNames.map((_, index) => firstPort + index);
const adminPorts = processNames.map((_, index) => firstPort + 99 + index);
// The programs authenticate to each other with secrets that exist only while this process runs.
const secrets = processNames.map(() => randomBytes(32).toString('hex'));

const common = {
  TOCSIN_DATABASE_CONNECTIONS: '4',
  TOCSIN_CHECK_BATCHES: 'true',
  ...env,
  ...Object.fromEntries(
    serviceNames.map((name, index) => [`TOCSIN_${name.toUpperCase()}_URL`, `http://127.0.0.1:${rpcPorts[index]}`]),
  ),
  // Checks must not reach the programs themselves, even if the operator allows checks of this machine's addresses.
  TOCSIN_CLOSED_PORTS: [...rpcPorts, ...adminPorts, env.TOCSIN_CLOSED_PORTS].filter(Boolean).join(','),
};

const [, , url = '@tocsin/local/run-together'] = process.argv;
const { runTogether }: typeof import('@tocsin/local/run-together') = await import(url);
await runTogether(processNames.map(planOf));

function planOf(process: ProcessName, index: number): ProgramPlan {
  const own = {
    TOCSIN_ADMIN_PORT: String(adminPorts[index]),
    TOCSIN_SERVICE_SECRET: secrets[index],
    // Only identity reads the secrets of all programs.
    TOCSIN_SERVICE_SECRETS: [env.TOCSIN_SERVICE_SECRETS, ...processNames.map((name, at) => `${name}:${secrets[at]}`)]
      .filter(Boolean)
      .join(','),
  };
  if (process === 'gateway') return { process, env: { ...common, ...own } };
  return { process, env: { ...common, ...own, TOCSIN_HOST: '127.0.0.1', TOCSIN_RPC_PORT: String(rpcPorts[index]) } };
}
