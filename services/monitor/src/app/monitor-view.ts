import type { Transaction } from '@tocsin/database';
import { notFound } from '@tocsin/errors';
import type { Standing } from '../domain/evaluate.ts';
import type { Monitor } from '../domain/monitor.ts';
import { findStandings } from '../storage/standing-store.ts';

/** A monitor with what is true of it; no standing when nothing was decided yet. */
export interface MonitorView {
  readonly monitor: Monitor;
  readonly standing: Standing | undefined;
}

export async function viewOf(tx: Transaction, monitor: Monitor): Promise<MonitorView> {
  const standings = await findStandings(tx, [monitor.id]);
  return { monitor, standing: standings.get(monitor.id) };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be an id at all; one that can't is as unknown as one that never existed. */
export function isId(text: string): boolean {
  return UUID.test(text);
}

export function requireId(text: string): string {
  if (!isId(text)) throw notFound('monitor');
  return text;
}
