import { isId } from '@tocsin/text';
import type { Monitor } from '../domain/monitor.ts';
import { findMonitorsOfAll } from '../storage/monitor-store.ts';
import type { Deps } from './ports.ts';

/** Monitors of any organization, as checkers need them. */
export async function getCheckConfigs(deps: Deps, ids: readonly string[]): Promise<Monitor[]> {
  return deps.database.transaction('every organization', (tx) => findMonitorsOfAll(tx, ids.filter(isId)));
}
