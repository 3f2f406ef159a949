import { MAX_ERROR_LENGTH } from '@tocsin/text';

/** A place in a tenant's script, both from 1. */
export interface ScriptLocation {
  readonly line: number;
  readonly column: number;
}

/** One `step(name, …)` of a script, in the order in which they ended. */
export interface ScriptStep {
  readonly name: string;
  readonly ms: number;
  readonly passed: boolean;
}

/** What a script did, beside its outcome. */
export interface ScriptRun {
  readonly steps: readonly ScriptStep[];
  /** Lines of `console`. */
  readonly log: readonly string[];
  /** Where it failed. */
  readonly location?: ScriptLocation;
  /** JPEG of the page when it failed. */
  readonly screenshot?: Uint8Array;
}

/** Limits of a script's recorded output. */
export const SCRIPT_LIMITS = {
  steps: 100,
  stepNameLength: 200,
  logLines: 200,
  logLineLength: 1_000,
  logLength: 32_000,
  errorLength: MAX_ERROR_LENGTH,
  screenshotBytes: 512 * 1024,
} as const;
