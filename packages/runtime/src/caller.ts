import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { grants, type Limits, type Permission, toLimits } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';

/** Caller that an internal token identifies. */
export type Caller =
  | {
      readonly kind: 'credential';
      readonly organizationId: string;
      readonly credentialId: string;
      /** Mail address of the user behind the credential. */
      readonly actorEmail: string;
      readonly permissions: readonly string[];
      /** Limits of the organization. */
      readonly limits: Limits;
    }
  | {
      readonly kind: 'service';
      readonly service: string;
      /** Organization of the call; undefined for work across organizations. */
      readonly organizationId: string | undefined;
    };

export const callerKey = createContextKey<Caller | undefined>(undefined, { description: 'who is calling' });

/** Returns the authenticated caller. Throws if there is none, which can happen only in methods that need no token. */
export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(callerKey);
  if (!caller) throw new ServiceError('unauthenticated', 'an internal token is required');
  return caller;
}

/** Returns the organization of the caller's token. */
export function organizationOf(context: HandlerContext): string {
  const { organizationId } = callerOf(context);
  if (organizationId === undefined) {
    throw new ServiceError('forbidden', 'this method needs a token that names an organization');
  }
  return organizationId;
}

/**
 * Requires a permission in addition to the one in a method's option. Services have all permissions.
 * @throws ServiceError `forbidden` that names the permission.
 */
export function requirePermission(context: HandlerContext, permission: Permission): void {
  const caller = callerOf(context);
  if (caller.kind === 'credential' && !grants(caller.permissions, permission)) {
    throw new ServiceError('forbidden', `this credential lacks the permission ${permission}`);
  }
}

/** Returns the limits of the caller's organization, or the default limits if the caller is a service. */
export function limitsOf(context: HandlerContext): Limits {
  const caller = callerOf(context);
  return caller.kind === 'credential' ? caller.limits : toLimits({});
}
