import type { ScriptLocation } from '../../../domain/script-run.ts';

/**
 * Returns the location in the script at which an error occurred: the topmost stack frame that belongs to the script.
 * Returns undefined if there is no such frame. The script is the only module that is loaded from a blob.
 */
export function whereInScript(error: unknown): ScriptLocation | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  const [, line, column] = /blob:null\/[0-9a-f-]+:(\d+):(\d+)/.exec(stack ?? '') ?? [];
  return line && column ? { line: Number(line), column: Number(column) } : undefined;
}
