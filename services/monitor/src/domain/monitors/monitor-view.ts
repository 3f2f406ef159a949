import type { EvaluatorState } from '../rounds/evaluate.ts';
import type { Monitor } from './monitor.ts';

/** A monitor with its current state. `evaluatorState` is undefined until a state has been stored. */
export interface MonitorView {
  readonly monitor: Monitor;
  readonly evaluatorState: EvaluatorState | undefined;
  /** Whether the monitor has alert channels and all of them are broken. */
  readonly channelsBroken: boolean;
}
