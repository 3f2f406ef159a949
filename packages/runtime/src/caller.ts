import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';

/** Who an internal token speaks for. */
export type Caller =
  | {
      readonly kind: 'credential';
      readonly organizationId: string;
      readonly credentialId: string;
      /** Mail address of the user behind the credential. */
      readonly actorEmail: string;
      readonly permissions: readonly string[];
    }
  | {
      readonly kind: 'service';
      readonly service: string;
      /** Absent for work that crosses organizations. */
      readonly organizationId: string | undefined;
    };

export const callerKey = createContextKey<Caller | undefined>(undefined, { description: 'who is calling' });

/** Who is calling. Every method but the anonymous ones has a caller before its handler runs. */
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
