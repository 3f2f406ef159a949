import type { Role } from './role.ts';

/** Time limit for completing a sign-in at a provider. */
export const ATTEMPT_MS = 10 * 60_000;

/** Maximum age of a domain's proof. If the proof is older, a sign-in verifies it again. */
export const PROOF_MS = 24 * 3_600_000;

/** Maximum number of domains of an organization. */
export const MAX_DOMAINS = 20;

const DOMAIN = /^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z]([a-z\d-]{0,61}[a-z\d])?$/;

/** A domain that an organization uses in its mail addresses. */
export interface OrganizationDomain {
  readonly id: string;
  readonly domain: string;
  /** Value of the TXT record that proves the domain. */
  readonly proof: string;
  /** Time at which the record was last found; undefined if the last lookup did not find it. */
  readonly provenAt: Date | undefined;
}

/** Returns the domain in its stored form; undefined for a text that is not a domain with at least two parts. */
export function parseDomain(text: string): string | undefined {
  const domain = text.trim().toLowerCase().replace(/\.$/, '');
  return DOMAIN.test(domain) ? domain : undefined;
}

/** Returns the domain of a mail address, in lowercase. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

/** Returns the name of the TXT record that proves a domain. */
export function recordOf(domain: string): string {
  return `_tocsin-sign-in.${domain}`;
}

/** A provider's claims about a user who signed in there. */
export interface ProviderClaims {
  readonly subject: string;
  readonly email: string | undefined;
  /** Whether the provider has verified that the user owns the mail address. */
  readonly isEmailVerified: boolean;
  /** Role from the claim that the organization configured; undefined if the claim is not a role. */
  readonly role: Role | undefined;
}

/** Properties of a user that decideSignIn() needs. */
export interface KnownUser {
  readonly id: string;
  readonly email: string;
  /** Role in the organization that the provider belongs to; undefined if the user is not a member. */
  readonly role: Role | undefined;
}

/** Changes that a sign-in at a provider makes to an existing user. */
export interface ProviderChange {
  readonly organizationId: string;
  readonly issuer: string;
  readonly subject: string;
  /** Whether to store the subject, so that it identifies the user from then on. */
  readonly isNew: boolean;
  /** New role of the user; undefined if it does not change. */
  readonly role?: Role | undefined;
}

export type SignInDecision =
  /** Signs an existing user in. If `isNew`, the subject is stored and identifies the user from then on. */
  | { readonly kind: 'sign_in'; readonly user: KnownUser; readonly isNew: boolean; readonly role: Role | undefined }
  /** Creates a user and a membership. */
  | { readonly kind: 'create'; readonly email: string; readonly role: Role }
  | { readonly kind: 'refuse'; readonly reason: string };

/**
 * Decides which user is signed in after a sign-in at a provider. The user's address must be in a domain that the
 * provider's organization has proven. This rule gives the organization no new access: the owner of a domain also
 * controls its mailboxes, and can sign in with links sent to them. An existing user must already be a member, so that
 * no organization can take over users of other organizations.
 */
export function decideSignIn(
  { email, isEmailVerified, role }: ProviderClaims,
  {
    domains,
    linked,
    byEmail,
  }: {
    /** Domains that the organization has proven. */
    readonly domains: readonly string[];
    /** User whom the subject identifies. */
    readonly linked: KnownUser | undefined;
    /** User who has the mail address. */
    readonly byEmail: KnownUser | undefined;
  },
): SignInDecision {
  if (email === undefined || !isEmailVerified) {
    return refuse('Your organization’s sign-in did not confirm your mail address.');
  }
  if (!domains.includes(domainOf(email))) {
    return refuse(`Your organization has not proven that it owns ${domainOf(email)}.`);
  }
  // The user may have changed the account's address to one outside the organization's domains.
  const known = linked ?? byEmail;
  if (known && !domains.includes(domainOf(known.email))) {
    return refuse('The address of your account is not one of your organization. Sign in with a link by mail.');
  }
  if (known && known.role === undefined) {
    return refuse('Your account is not a member of this organization. Ask an owner for an invitation.');
  }
  // A claim can neither make a user an owner nor take the role of owner from a user.
  const allowed = role === 'owner' ? undefined : role;
  if (!known) return { kind: 'create', email, role: allowed ?? 'member' };
  const changed = known.role === 'owner' || allowed === known.role ? undefined : allowed;
  return { kind: 'sign_in', user: known, isNew: linked === undefined, role: changed };
}

function refuse(reason: string): SignInDecision {
  return { kind: 'refuse', reason };
}
