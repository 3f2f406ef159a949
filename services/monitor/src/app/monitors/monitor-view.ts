import type { Transaction } from '@tocsin/database';
import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { findEvaluatorStates } from '../../storage/rounds/evaluator-state-store.ts';

export async function viewOf(tx: Transaction, monitor: Monitor): Promise<MonitorView> {
  const evaluatorStates = await findEvaluatorStates(tx, [monitor.id]);
  return { monitor, evaluatorState: evaluatorStates.get(monitor.id) };
}

/** @throws ServiceError `not_found` for a text that can't be an id. */
export function requireId(text: string): string {
  if (!isId(text)) throw notFound('monitor');
  return text;
}
