import { invalid } from '@tocsin/errors';
import { whyNoScreenshot } from '../../domain/rounds/script-run.ts';
import { insertScreenshot, type Screenshot } from '../../storage/rounds/script-run-store.ts';
import { requireId } from '../monitors/monitor-view.ts';
import type { Deps } from '../ports.ts';

/** Saves the screenshot of a failed script; only the first one for each monitor, round and region is stored. */
export async function saveScreenshot({ database }: Pick<Deps, 'database'>, screenshot: Screenshot): Promise<void> {
  requireId(screenshot.monitorId);
  const why = whyNoScreenshot(screenshot.image);
  if (why) throw invalid({ image: [why] });
  await database.transaction('every organization', (tx) => insertScreenshot(tx, screenshot));
}
