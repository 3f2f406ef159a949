import type { Role } from './role.ts';

/** Method with which a user begins to sign in. `operator_link` is a link that the operator created. */
export type SignInMethod = 'link' | 'operator_link' | 'password' | 'passkey' | 'provider';

/** A member of an organization that enforces its provider, with an address in one of its proven domains. */
export interface EnforcedMember {
  readonly organizationId: string;
  readonly role: Role;
}

export type EnforcedDecision =
  | 'allow'
  /** Only a recovery code completes the sign-in. */
  | 'recovery_code'
  /** The user has to sign in at the provider. */
  | 'at_provider';

/**
 * Decides whether a user may sign in with a method. Owners with a second factor can also sign in with a link or a
 * password, followed by a recovery code. This does not require a working provider. Every member can sign in with a link
 * from the operator.
 */
export function decideEnforced(
  enforced: EnforcedMember | undefined,
  { method, hasSecondFactor }: { method: SignInMethod; hasSecondFactor: boolean },
): EnforcedDecision {
  if (!enforced || method === 'provider' || method === 'operator_link') return 'allow';
  const canRecover = enforced.role === 'owner' && hasSecondFactor && method !== 'passkey';
  return canRecover ? 'recovery_code' : 'at_provider';
}
