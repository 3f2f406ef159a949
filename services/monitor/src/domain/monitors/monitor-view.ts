import type { EvaluatorState } from '../rounds/evaluate.ts';
import type { Monitor } from './monitor.ts';

/** A monitor with what is true of it; no standing when nothing was decided yet. */
export interface MonitorView {
  readonly monitor: Monitor;
  readonly evaluatorState: EvaluatorState | undefined;
}
