import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJson } from './files.ts';
import { codeOf, messageOf, Problem } from './problem.ts';
import { isRunning, type ProcessIdentity, parseIdentity } from './process-identity.ts';

/** Identifies a supervised process, so that it can be found after its supervisor was killed. */
export interface PidFile {
  readonly child: ProcessIdentity;
  readonly supervisor: ProcessIdentity;
  readonly stopSignal: NodeJS.Signals;
}

/**
 * If the process that a pid file names is still running, but its supervisor is not, stops the process and returns true.
 * Both are identified by pid and start time, so that another process with the same pid is not stopped.
 * @throws Problem if the process and its supervisor are still running, or if the process can't be stopped.
 */
export async function stopOrphan(pidFile: string, timeoutMs = 15_000): Promise<boolean> {
  const { child, supervisor, stopSignal } = await readPidFile(pidFile);
  if (child === undefined || !isRunning(child)) {
    await rm(pidFile, { force: true });
    return false;
  }
  if (supervisor !== undefined && isRunning(supervisor)) {
    throw new Problem(`Process ${child.pid} (see ${pidFile}) is already looked after by process ${supervisor.pid}.`);
  }
  send(child, stopSignal, pidFile);
  if (!(await isGone(child, timeoutMs))) {
    send(child, 'SIGKILL', pidFile);
    if (!(await isGone(child, 5_000))) throw new Problem(`Process ${child.pid} (see ${pidFile}) can't be stopped.`);
  }
  await rm(pidFile, { force: true });
  return true;
}

function send(to: ProcessIdentity, signal: NodeJS.Signals, pidFile: string): void {
  try {
    process.kill(to.pid, signal);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return;
    throw new Problem(`Process ${to.pid} (see ${pidFile}) was left behind and can't be stopped: ${messageOf(error)}.`);
  }
}

async function readPidFile(path: string): Promise<Partial<PidFile> & Pick<PidFile, 'stopSignal'>> {
  const content = await readJson(path);
  const child = parseIdentity(content?.child);
  const supervisor = parseIdentity(content?.supervisor);
  return {
    ...(child && { child }),
    ...(supervisor && { supervisor }),
    stopSignal: content?.stopSignal === 'SIGINT' ? 'SIGINT' : 'SIGTERM',
  };
}

async function isGone(process: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(20)) {
    if (!isRunning(process)) return true;
  }
  return !isRunning(process);
}
