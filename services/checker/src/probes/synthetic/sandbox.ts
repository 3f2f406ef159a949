import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { residentBytes } from './process-memory.ts';
import type { FromSandbox, ToSandbox } from './protocol.ts';

export interface SandboxOptions {
  readonly deno: string;
  /** Called for each message from the script's process. */
  readonly onMessage: (message: FromSandbox) => void;
  /**
   * Called once, after the last message. `why` is the reason why the process ended, in words for the script's author.
   */
  readonly onEnd: (why: string) => void;
}

export interface Sandbox extends Disposable {
  send(message: ToSandbox): void;
}

const HEAP_MB = 128;
const MEMORY_MB = 320;
const LOOK_EVERY_MS = 25;
const MAX_STEP_MS = 3_600_000;
const MAX_LINE_BYTES = 512 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;

/** Flags that deny all permissions, disable permission prompts, and limit the heap. */
const NOTHING = [
  ...['--no-prompt', '--no-config', '--no-npm', '--no-remote', '--cached-only', '--no-lock', '--deny-import'],
  ...['--deny-read', '--deny-write', '--deny-net', '--deny-env', '--deny-run', '--deny-sys', '--deny-ffi'],
  `--v8-flags=--max-old-space-size=${HEAP_MB}`,
];

/**
 * Starts a process that can only compute and exchange messages with this process. The messages that it sends are
 * untrusted.
 */
export function startSandbox({ deno, onMessage, onEnd }: SandboxOptions): Sandbox {
  const runner = join(import.meta.dirname, 'in-sandbox', 'runner.ts');
  const child = spawn(deno, ['run', ...NOTHING, runner], {
    env: { NO_COLOR: '1', DENO_DIR: '/nonexistent', DENO_NO_UPDATE_CHECK: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let isOver = false;
  let rest = '';
  let bytes = 0;

  function end(why: string): void {
    if (isOver) return;
    isOver = true;
    clearInterval(watch);
    child.kill('SIGKILL');
    onEnd(why);
  }

  const watch = setInterval(() => {
    const used = child.pid === undefined ? 0 : residentBytes(child.pid);
    if (used > MEMORY_MB * 1024 * 1024) end(`the script used more than ${MEMORY_MB} MB of memory`);
  }, LOOK_EVERY_MS);

  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    bytes += piece.length;
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (bytes > MAX_BYTES || rest.length > MAX_LINE_BYTES) return end('the script said more than a check may');
    for (const line of lines) {
      const message = isOver ? undefined : readMessage(line);
      if (message) onMessage(message);
    }
  });
  child.once('error', (error) => end(`the sandbox could not be started: ${error.message}`));
  child.once('close', () => end('the script ended its process, or ran out of memory'));
  return {
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    [Symbol.dispose]: () => end(''),
  };
}

/** Parses a line from the sandbox; undefined if it is not a message. */
export function readMessage(line: string): FromSandbox | undefined {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(said)) return undefined;
  if (typeof said.log === 'string') return { log: said.log };
  if (isObject(said.step)) {
    const { name, ms, passed } = said.step;
    return typeof name === 'string' && typeof ms === 'number' && typeof passed === 'boolean'
      ? { step: { name, ms: Math.min(Math.max(ms, 0), MAX_STEP_MS), passed } }
      : undefined;
  }
  if (isObject(said.done)) {
    const failure = isObject(said.done.failure) ? said.done.failure : undefined;
    if (!failure) return { done: {} };
    const kind = failure.kind === 'network' ? 'network' : failure.kind === 'browser' ? 'browser' : 'script';
    return { done: { failure: { message: String(failure.message), kind, at: readPlace(failure.at) } } };
  }
  const { call, method, target, chain, args } = said;
  if (typeof call !== 'number' || typeof method !== 'string' || !Array.isArray(args)) return undefined;
  const numbered = typeof target === 'number' ? target : undefined;
  return {
    call,
    method,
    target: numbered,
    chain: Array.isArray(chain) ? chain : undefined,
    args,
    at: readPlace(said.at),
  };
}

function readPlace(at: unknown): { line: number; column: number } | undefined {
  if (!isObject(at) || !Number.isInteger(at.line) || !Number.isInteger(at.column)) return undefined;
  return { line: Math.min(Number(at.line), 100_000), column: Math.min(Number(at.column), 100_000) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
