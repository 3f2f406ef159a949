import type { Readable } from 'node:stream';

/** Output stream of a command. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  /** Width of the terminal in columns. */
  readonly columns?: number | undefined;
}

/** Everything that a command gets from its process. Tests replace it. */
export interface Context {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
  /** Waits for a number of milliseconds. Rejects when the signal is aborted. */
  sleep(ms: number): Promise<void>;
  now(): number;
}
