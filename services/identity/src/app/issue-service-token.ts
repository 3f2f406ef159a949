import { invalid, notFound, ServiceError } from '@tocsin/errors';
import { validate } from 'uuid';
import { SERVICE_TOKEN_MS, tokenEnd } from '../domain/token-lifetime.ts';
import { organizationExists } from '../storage/organization-store.ts';
import type { Deps } from './ports.ts';
import { isServiceName, verifyServiceSecret } from './service-secrets.ts';

export interface ServiceTokenRequest {
  readonly service: string;
  readonly secret: string;
  /** Service for which the token is valid. */
  readonly audience: string;
  /** Organization that the service acts for; undefined for work across organizations. */
  readonly organizationId: string | undefined;
}

/**
 * Exchanges a service's secret for an internal token.
 * @throws ServiceError `unauthenticated` for an unknown service or a wrong secret, `not_found` if the organization does
 * not exist.
 */
export async function issueServiceToken(
  { database, signingKeys, serviceSecrets, now }: Deps,
  { service, secret, audience, organizationId }: ServiceTokenRequest,
): Promise<{ token: string; expiresAt: Date }> {
  if (!verifyServiceSecret(serviceSecrets, service, secret)) {
    throw new ServiceError('unauthenticated', 'no service has this name and secret; see TOCSIN_SERVICE_SECRETS');
  }
  if (!isServiceName(audience)) throw invalid({ audience: ['must be the name of the service that is to be called'] });
  if (organizationId !== undefined) {
    const exists =
      validate(organizationId) &&
      (await database.transaction({ organizationId }, (tx) => organizationExists(tx, organizationId)));
    if (!exists) throw notFound('organization');
  }
  const expiresAt = tokenEnd(now(), SERVICE_TOKEN_MS);
  const token = await signingKeys.sign({ kind: 'service', service, organizationId }, audience, expiresAt);
  return { token, expiresAt };
}
