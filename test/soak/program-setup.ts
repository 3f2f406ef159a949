import { join } from 'node:path';

/** Settings of a program in a soak test. */
export interface ProgramSetup {
  /** File with the milliseconds by which the program's clock is ahead. */
  readonly clockFile: string;
  /** Ports of the proxies, by the name of the variable that contains the URL of a server or another program. */
  readonly ports: Readonly<Record<string, number>>;
}

/** Module that each program loads before its own code. */
export const IN_PROGRAM = join(import.meta.dirname, 'in-program.ts');
