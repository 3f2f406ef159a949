import type { Transaction } from '@tocsin/database';
import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { findBrokenChannels } from '../../storage/monitors/channel-link-store.ts';
import { findEvaluatorStates } from '../../storage/rounds/evaluator-state-store.ts';

export async function viewOf(tx: Transaction, monitor: Monitor): Promise<MonitorView> {
  const evaluatorStates = await findEvaluatorStates(tx, [monitor.id]);
  const broken = await findBrokenChannels(tx, monitor.organizationId, monitor.alertChannelIds);
  const channelsBroken = areAllBroken(monitor.alertChannelIds, broken);
  return { monitor, evaluatorState: evaluatorStates.get(monitor.id), channelsBroken };
}

/** Returns whether all channels are broken; false if there are no channels. */
export function areAllBroken(channelIds: readonly string[], broken: ReadonlySet<string>): boolean {
  return channelIds.length > 0 && channelIds.every((id) => broken.has(id));
}

/**
 * Returns the text if it is a valid id.
 * @throws ServiceError `not_found` if the text is not a valid id.
 */
export function requireId(text: string): string {
  if (!isId(text)) throw notFound('monitor');
  return text;
}
