import { existsSync, renameSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import pg from 'pg';
import type { Network } from '../network.ts';
import { type Disturbance, describeDisturbance, type Fault, type Link, type Program, type Server } from './fault.ts';
import type { LinkProxy } from './link-proxy.ts';
import type { SmallDisk } from './small-disk.ts';

/** Access to the parts of an installation that faults disturb. */
export interface Injectable {
  readonly network: Network;
  proxyOf(link: Link): LinkProxy;
  clockFileOf(program: Program): string;
  diskOf(server: Server): SmallDisk;
}

/** A fault that has ended, with its start and end times by the test's clock. */
export interface CausedFault {
  readonly disturbance: Disturbance;
  readonly from: number;
  readonly to: number;
}

/** Causes each fault at its start time, and ends it after its duration. Resolves when all faults have ended. */
export async function causeFaults(
  faults: readonly Fault[],
  injectable: Injectable,
  onFault: (fault: CausedFault) => void,
): Promise<void> {
  const began = performance.now();
  await Promise.all(
    faults.map(async ({ startMs, lastsMs, disturbance }) => {
      await sleep(Math.max(0, startMs - (performance.now() - began)));
      const from = Date.now();
      try {
        const end = await cause(disturbance, injectable);
        await sleep(lastsMs);
        await end();
      } catch (error) {
        throw new Error(`${describeDisturbance(disturbance)} could not be caused`, { cause: error });
      }
      onFault({ disturbance, from, to: Date.now() });
    }),
  );
}

const over = async () => {};

/** Causes a fault, and returns the function that ends it. */
async function cause(disturbance: Disturbance, injectable: Injectable): Promise<() => Promise<void>> {
  const { network, proxyOf, clockFileOf, diskOf } = injectable;
  switch (disturbance.kind) {
    case 'kill': {
      network.kill(disturbance.victim);
      return over;
    }
    case 'pause': {
      const stopped = await stop(network, disturbance.victim);
      return async () => {
        for (const pid of stopped) send(pid, 'SIGCONT');
      };
    }
    case 'cut': {
      const proxy = proxyOf(disturbance.link);
      proxy.cut(disturbance.cut);
      return async () => proxy.restore();
    }
    case 'clock': {
      const set = (ms: number) =>
        Promise.all(disturbance.victims.map((program) => writeFile(clockFileOf(program), String(ms))));
      await set(disturbance.byMs);
      return async () => void (await set(0));
    }
    case 'full disk': {
      const disk = diskOf(disturbance.victim);
      await disk.fill();
      return async () => {
        await disk.empty();
        if (disturbance.victim === 'postgres') await restartIfHung(network);
      };
    }
    case 'lost store': {
      await eventually(() => network.pidOf('nats') ?? Promise.reject(new Error('NATS does not run')), {
        timeoutMs: 60_000,
      });
      network.kill('nats');
      // Rename the store before deleting it, because the restarted server must not find a partly deleted store.
      const streams = join(network.dataDir, 'nats', 'streams');
      const lost = `${streams}-${Date.now()}`;
      if (existsSync(streams)) renameSync(streams, lost);
      await rm(lost, { recursive: true, force: true });
      return over;
    }
  }
}

/** Maximum milliseconds until PostgreSQL accepts connections again after its disk has space. */
const RECOVERED_WITHIN_MS = 60_000;

/**
 * Kills PostgreSQL, as an operator would, if it does not recover by itself after its disk was full. PostgreSQL 18 can
 * wait forever at the end of its recovery if its checkpointer failed for lack of space.
 */
async function restartIfHung(network: Network): Promise<void> {
  const timing = { timeoutMs: RECOVERED_WITHIN_MS, intervalMs: 1_000 };
  try {
    await eventually(() => connectOnce(network.installation.postgres?.url ?? ''), timing);
  } catch {
    console.info(
      `PostgreSQL accepted no connection for ${RECOVERED_WITHIN_MS / 1_000} s after its disk was full: killed`,
    );
    network.kill('postgres');
  }
}

async function connectOnce(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
}

/** Pauses a process and its children, and returns their pids. PostgreSQL has a process for each connection. */
async function stop(network: Network, victim: Program | Server): Promise<number[]> {
  const pid = network.pidOf(victim);
  if (pid === undefined) return [];
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const pids = [pid, ...children.split(' ').filter(Boolean).map(Number)];
  for (const one of pids) send(one, 'SIGSTOP');
  return pids;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH means that the process has already ended, so it is ignored.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
