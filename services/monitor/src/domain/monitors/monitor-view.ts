import type { EvaluatorState } from '../rounds/evaluate.ts';
import type { Monitor } from './monitor.ts';

/** A monitor with what is true of it; no evaluator state when nothing was decided yet. */
export interface MonitorView {
  readonly monitor: Monitor;
  readonly evaluatorState: EvaluatorState | undefined;
  /** Every alert channel that it is linked to is broken. */
  readonly channelsBroken: boolean;
}
