import type { ScriptLocation } from '../../../domain/script-run.ts';

/**
 * Returns the topmost stack frame of an error that belongs to the script; undefined if there is none. The script is the
 * only module that is loaded from a blob.
 */
export function whereInScript(error: unknown): ScriptLocation | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  const [, line, column] = /blob:null\/[0-9a-f-]+:(\d+):(\d+)/.exec(stack ?? '') ?? [];
  return line && column ? { line: Number(line), column: Number(column) } : undefined;
}
