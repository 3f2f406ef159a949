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
  /** Region of the screenshot. If undefined, the alphabetically first region with a screenshot is used. */
  readonly region: string | undefined;
}

/**
 * Returns the screenshot of a failed script, as a JPEG.
 * @throws ServiceError `not_found` if the monitor or the screenshot does not exist, or the retention period of the
 * screenshot has ended.
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
