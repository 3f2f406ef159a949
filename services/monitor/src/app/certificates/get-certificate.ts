import { notFound } from '@tocsin/errors';
import { type Certificate, daysRemaining, isValid, worstOf } from '../../domain/certificates/certificate.ts';
import { findCertificates } from '../../storage/certificates/certificate-store.ts';
import { existingMonitorIds } from '../../storage/monitors/monitor-store.ts';
import { requireId } from '../monitors/monitor-view.ts';
import type { Deps } from '../ports.ts';

/**
 * Returns the worst of the certificates that the regions received last, with its current validity and the days until it
 * expires.
 * @throws ServiceError `not_found` if the monitor does not exist, or if no check has received a certificate.
 */
export async function getCertificate(
  deps: Deps,
  organizationId: string,
  monitorId: string,
): Promise<{ certificate: Certificate; daysRemaining: number }> {
  requireId(monitorId);
  const now = deps.now();
  return deps.database.transaction({ organizationId }, async (tx) => {
    const [known] = await existingMonitorIds(tx, organizationId, [monitorId]);
    if (!known) throw notFound('monitor');
    const worst = worstOf(await findCertificates(tx, monitorId, deps.regions), now);
    if (!worst) throw notFound('certificate');
    return { certificate: { ...worst, valid: isValid(worst, now) }, daysRemaining: daysRemaining(worst, now) };
  });
}
