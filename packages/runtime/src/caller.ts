import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { type Limits, toLimits } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';

/** The subject of an internal token. */
export type Caller =
  | {
      readonly kind: 'credential';
      readonly organizationId: string;
      readonly credentialId: string;
      /** Mail address of the user behind the credential. */
      readonly actorEmail: string;
      readonly permissions: readonly string[];
      /** What the organization may have and send. */
      readonly limits: Limits;
    }
  | {
      readonly kind: 'service';
      readonly service: string;
      /** Absent for work that crosses organizations. */
      readonly organizationId: string | undefined;
    };

export const callerKey = createContextKey<Caller | undefined>(undefined, { description: 'who is calling' });

/** Returns the caller. Every method but the anonymous ones has one before its handler runs. */
export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(callerKey);
  if (!caller) throw new ServiceError('unauthenticated', 'an internal token is required');
  return caller;
}

/** The one organization that the caller may see. */
export function organizationOf(context: HandlerContext): string {
  const { organizationId } = callerOf(context);
  if (organizationId === undefined) {
    throw new ServiceError('forbidden', 'this method needs a token that names an organization');
  }
  return organizationId;
}

/** Returns the limits of the caller's organization; for a service, which creates nothing in its name, the defaults. */
export function limitsOf(context: HandlerContext): Limits {
  const caller = callerOf(context);
  return caller.kind === 'credential' ? caller.limits : toLimits({});
}
