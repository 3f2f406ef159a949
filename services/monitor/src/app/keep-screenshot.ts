import { invalid } from '@tocsin/errors';
import { whyNoScreenshot } from '../domain/script-run.ts';
import { insertScreenshot, type Screenshot } from '../storage/script-run-store.ts';
import { requireId } from './monitor-view.ts';
import type { Deps } from './ports.ts';

/** Keeps a picture of a page whose script failed, once for its monitor, round and region. */
export async function keepScreenshot({ database }: Pick<Deps, 'database'>, screenshot: Screenshot): Promise<void> {
  requireId(screenshot.monitorId);
  const why = whyNoScreenshot(screenshot.image);
  if (why) throw invalid({ image: [why] });
  await database.transaction('every organization', (tx) => insertScreenshot(tx, screenshot));
}
