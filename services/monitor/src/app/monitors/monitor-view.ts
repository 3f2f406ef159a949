import type { Transaction } from '@tocsin/database';
import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { findStandings } from '../../storage/rounds/standing-store.ts';

export async function viewOf(tx: Transaction, monitor: Monitor): Promise<MonitorView> {
  const standings = await findStandings(tx, [monitor.id]);
  return { monitor, standing: standings.get(monitor.id) };
}

/** @throws ServiceError `not_found` for a text that can't be an id. */
export function requireId(text: string): string {
  if (!isId(text)) throw notFound('monitor');
  return text;
}
