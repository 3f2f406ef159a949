import type { Client } from './api/client.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './errors.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** Name of the value in the help. */
  readonly value?: string;
  readonly help: string;
  /** Values that the shell completes. */
  readonly values?: readonly string[];
}

/** A parsed command line. */
export interface Call {
  readonly context: Context;
  /** Arguments that are not options. */
  readonly args: readonly string[];
  /** Returns the value of an option; undefined if it was not given. */
  text(option: string): string | undefined;
  /** Returns all values of an option that can be repeated. */
  texts(option: string): readonly string[];
  has(option: string): boolean;
  /** Returns a client for the installation. Throws an error if the user is not signed in. */
  client(): Promise<Client>;
  /** Returns the URL of the installation. */
  baseUrl(): Promise<string>;
}

export interface Command {
  /** Words of the command, such as `monitors list`. */
  readonly name: string;
  /** Arguments in the usage line. */
  readonly usage?: string;
  readonly summary: string;
  /** Further paragraphs in the help. */
  readonly details?: string;
  readonly options?: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  /** Minimum and maximum number of arguments; by default none are accepted. */
  readonly args?: readonly [number, number];
  run(call: Call): Promise<ExitCode | undefined>;
}

export const JSON_OPTION: Option = { type: 'boolean', help: 'Print JSON, as the API returns it' };

export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  url: { type: 'string', value: 'URL', help: 'Installation to use; default: TOCSIN_URL, or the last sign-in' },
  help: { type: 'boolean', short: 'h', help: 'Print this help' },
};

/** Prints a value as JSON. */
export function printJson({ stdout }: Context, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Returns the width to which tables are cut; unlimited if the output is not a terminal. */
export function widthOf({ stdout }: Context): number {
  return stdout.isTTY ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
}
