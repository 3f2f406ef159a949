import { notFound } from '@tocsin/errors';
import { roundOfRun } from '../../domain/history/run.ts';
import { isRegion } from '../../domain/rounds/region.ts';
import { oldestScreenshot } from '../../domain/rounds/script-run.ts';
import { existingMonitorIds } from '../../storage/monitors/monitor-store.ts';
import { findScreenshot } from '../../storage/rounds/script-run-store.ts';
import { requireId } from '../monitors/monitor-view.ts';
import type { Deps } from '../ports.ts';

export interface ScreenshotQuestion {
  readonly monitorId: string;
  readonly runId: string;
  /** Undefined: the first by name that has one. */
  readonly region: string | undefined;
}

/**
 * A JPEG of a page whose script failed.
 * @throws ServiceError `not_found` when there is no such monitor, or no such picture, or none so old any more.
 */
export async function getScreenshot(
  deps: Deps,
  organizationId: string,
  { monitorId, runId, region }: ScreenshotQuestion,
): Promise<Uint8Array> {
  requireId(monitorId);
  const roundAt = roundOfRun(runId);
  return deps.database.transaction({ organizationId }, async (tx) => {
    const [known] = await existingMonitorIds(tx, organizationId, [monitorId]);
    if (!known) throw notFound('monitor');
    const isKept = roundAt && roundAt >= oldestScreenshot(deps.now()) && (!region || isRegion(region));
    const image = isKept && (await findScreenshot(tx, { monitorId, roundAt, region }));
    if (!image) throw notFound('screenshot');
    return image;
  });
}
