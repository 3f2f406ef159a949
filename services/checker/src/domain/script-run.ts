import { MAX_ERROR_LENGTH } from '@tocsin/text';

/** A position in a tenant's script. Lines and columns start at 1. */
export interface ScriptLocation {
  readonly line: number;
  readonly column: number;
}

/** A completed `step(name, …)` of a script. */
export interface ScriptStep {
  readonly name: string;
  readonly ms: number;
  readonly passed: boolean;
}

/** Record of a script run, without the outcome of the check. */
export interface ScriptRun {
  readonly steps: readonly ScriptStep[];
  /** Lines that the script wrote to `console`. */
  readonly log: readonly string[];
  /** Position of the failure. */
  readonly location?: ScriptLocation;
  /** Screenshot of the page at the time of the failure, as a JPEG. */
  readonly screenshot?: Uint8Array;
}

/** Limits on a script's recorded output. */
export const SCRIPT_LIMITS = {
  steps: 100,
  stepNameLength: 200,
  logLines: 200,
  logLineLength: 1_000,
  logLength: 32_000,
  errorLength: MAX_ERROR_LENGTH,
  screenshotBytes: 512 * 1024,
} as const;
