import type { ScriptLocation } from '../../../domain/script-run.ts';

/** The first place of the script in a stack; it is the only module that comes from a blob. */
export function whereInScript(error: unknown): ScriptLocation | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  const [, line, column] = /blob:null\/[0-9a-f-]+:(\d+):(\d+)/.exec(stack ?? '') ?? [];
  return line && column ? { line: Number(line), column: Number(column) } : undefined;
}
