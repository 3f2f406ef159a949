import { ServiceError } from '@tocsin/errors';
import { isEmail, isId } from '@tocsin/text';
import { v7 } from 'uuid';
import { MAX_MEMBERS } from '../domain/member-rules.ts';
import {
  ATTEMPT_MS,
  decideSignIn,
  domainOf,
  type ProviderClaims,
  type SignInDecision,
} from '../domain/organization-sign-in.ts';
import { isRole } from '../domain/role.ts';
import type { Device } from '../domain/session.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { findOrganizationDeletion } from '../storage/deletion-store.ts';
import { listMembers, lockMembers, saveMembership } from '../storage/membership-store.ts';
import {
  findKnownUser,
  findOrganizationOfDomain,
  findProvider,
  findUserOfSubject,
  insertAttempt,
  type StoredProvider,
  saveSubject,
  takeAttempt,
} from '../storage/organization-sign-in-store.ts';
import { upsertUser } from '../storage/organization-store.ts';
import { isWithinLimit } from './limit-attempts.ts';
import { provenDomains, providerContext } from './organization-provider.ts';
import type { Deps, ProviderClient } from './ports.ts';
import { createSecret, hashSecret, isSecret } from './secret.ts';
import { applyRole, type StartedSession, signInFromProvider } from './sign-in.ts';

type SignInDeps = Pick<Deps, 'database' | 'now' | 'vault' | 'baseUrl' | 'providers' | 'dns'>;

const ATTEMPT_CONTEXT = 'oidc-attempt';

/** Data of a sign-in that is stored until the provider sends the user back. */
interface Attempt {
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string;
}

/** Result of beginning a sign-in: a URL of the provider and the state, or a problem. */
export type Begun = { readonly url: string; readonly state: string } | { readonly problem: string };

/**
 * Begins a sign-in at the provider of the organization that has proven the domain of a mail address. The browser must
 * store the state.
 * @throws ServiceError `invalid` that says why the provider can't be used.
 */
export async function beginProviderSignIn(
  deps: SignInDeps,
  { email, next, address }: { email: string; next: string; address: string },
): Promise<Begun> {
  if (!isEmail(email)) return { problem: 'Enter your mail address, such as jane@example.com.' };
  if (!(await isWithinLimit(deps, 'provider_from_network', address))) {
    return { problem: 'There were too many attempts from your network. Try again in a few minutes.' };
  }
  const { database, now, vault } = deps;
  const found = await database.transaction('every organization', async (tx) => {
    const organizationId = await findOrganizationOfDomain(tx, domainOf(email));
    return organizationId === undefined ? undefined : findProvider(tx, organizationId);
  });
  if (!found) return { problem: `No organization signs people with addresses of ${domainOf(email)} in.` };
  const [state, nonce, verifier] = [createSecret(), createSecret(), createSecret()];
  const url = await deps.providers.signInUrl(clientOf(deps, found), { state, nonce, verifier, email });
  const attempt: Attempt = { nonce, verifier, next };
  await database.transaction('every organization', (tx) =>
    insertAttempt(tx, {
      stateHash: hashSecret(state),
      organizationId: found.organizationId,
      sealed: vault.seal(JSON.stringify(attempt), ATTEMPT_CONTEXT),
      expiresAt: new Date(now().getTime() + ATTEMPT_MS),
    }),
  );
  return { url, state };
}

export type ProviderOutcome =
  | { readonly kind: 'signed_in'; readonly session: StartedSession; readonly next: string }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Completes a sign-in with the query parameters of the redirect from the provider. The state must equal the state that
 * the browser stores. A user with a second factor must still enter its code, as for every other sign-in. Changes that
 * the provider reported, such as a new role, take effect only after the code is entered.
 * @throws ServiceError `invalid` that says why the provider can't be used.
 */
export async function completeProviderSignIn(
  deps: SignInDeps,
  {
    organizationId,
    state,
    parameters,
    device,
  }: { organizationId: string; state: string; parameters: URLSearchParams; device: Device },
): Promise<ProviderOutcome> {
  const { database, now, vault } = deps;
  const time = now();
  if (!isId(organizationId) || !isSecret(state) || parameters.get('state') !== state) return EXPIRED;
  const begun = await database.transaction('every organization', async (tx) => ({
    sealed: await takeAttempt(tx, { stateHash: hashSecret(state), organizationId, now: time }),
    provider: await findProvider(tx, organizationId),
  }));
  const { sealed, provider } = begun;
  if (sealed === undefined || !provider) return EXPIRED;
  const { nonce, verifier, next } = JSON.parse(vault.open(sealed, ATTEMPT_CONTEXT)) as Attempt;
  const said = await deps.providers.claimsOf(clientOf(deps, provider), { parameters, state, nonce, verifier });
  const claims = claimsFrom(said, provider.roleClaim);
  const provedAt = provenTime(said.auth_time, time);
  const subject = { organizationId, issuer: provider.issuer, subject: claims.subject };
  const read = await database.transaction('every organization', async (tx) => ({
    linked: await findUserOfSubject(tx, subject),
    byEmail: claims.email === undefined ? undefined : await findKnownUser(tx, organizationId, claims.email),
  }));
  const emails = [claims.email, read.linked?.email, read.byEmail?.email].filter((email) => email !== undefined);
  const domains = await provenDomains(deps, { organizationId, emails });
  const decision = decideSignIn(claims, { domains, ...read });
  if (decision.kind === 'refuse') return { kind: 'refused', reason: decision.reason };
  const outcome = await enter(deps, { decision, subject, device, provedAt, time });
  if (typeof outcome === 'string') return { kind: 'refused', reason: outcome };
  if (decision.kind === 'sign_in' && !outcome.awaitsCode) {
    await applyRole(deps, decision.user.id, { ...subject, isNew: decision.isNew, role: decision.role });
  }
  return { kind: 'signed_in', session: outcome, next };
}

const EXPIRED: ProviderOutcome = { kind: 'refused', reason: 'The sign-in took too long. Start again.' };

/**
 * Starts the session for a sign-in that decideSignIn() allowed. Returns the reason if the organization no longer allows
 * the sign-in.
 */
async function enter(
  { database }: SignInDeps,
  {
    decision,
    subject,
    device,
    provedAt,
    time,
  }: {
    decision: Exclude<SignInDecision, { kind: 'refuse' }>;
    subject: { organizationId: string; issuer: string; subject: string };
    device: Device;
    provedAt: Date | undefined;
    time: Date;
  },
): Promise<StartedSession | string> {
  const { organizationId } = subject;
  return database.transaction('every organization', async (tx) => {
    if (await findOrganizationDeletion(tx, organizationId)) return 'The organization is stopped.';
    await lockMembers(tx, organizationId);
    const members = await listMembers(tx, organizationId);
    if (decision.kind === 'sign_in') {
      const { user, isNew, role } = decision;
      // The membership may have ended since it was read.
      if (!members.some(({ userId }) => userId === user.id)) return 'You are not a member any more.';
      const session = { organizationId, provedAt, change: { ...subject, isNew, role } };
      const started = await signInFromProvider(tx, { user, device, provider: session, now: time });
      if (isNew && !started.awaitsCode) await saveSubject(tx, { ...subject, userId: user.id });
      return started;
    }
    const { email, role } = decision;
    if (members.length >= MAX_MEMBERS) return `The organization has ${MAX_MEMBERS} members, which is the limit.`;
    // Another transaction may have created the user since the user was looked up.
    if (await findKnownUser(tx, organizationId, email)) return 'Sign in again.';
    const userId = await upsertUser(tx, { id: v7(), email, createdAt: time });
    await saveMembership(tx, { organizationId, userId, role, createdAt: time });
    await saveSubject(tx, { ...subject, userId });
    await insertAudit(tx, {
      organizationId,
      actor: email,
      action: 'member.joined',
      targetId: userId,
      details: { role, provider: subject.issuer },
      occurredAt: time,
      address: device.address,
    });
    const session = { organizationId, provedAt };
    return signInFromProvider(tx, { user: { id: userId, email }, device, provider: session, now: time });
  });
}

function clientOf({ vault, baseUrl }: SignInDeps, provider: StoredProvider): ProviderClient {
  const { organizationId, issuer, clientId, sealedClientSecret } = provider;
  return {
    issuer,
    clientId,
    clientSecret: vault.open(sealedClientSecret, providerContext(organizationId)),
    redirectUri: providerRedirectUri(baseUrl, organizationId),
  };
}

/**
 * Returns the redirect URI of an organization's provider. Each organization has a different redirect URI, so that a
 * response of one provider can't be mistaken for a response of another provider (RFC 9700 §4.4).
 */
export function providerRedirectUri(baseUrl: string, organizationId: string): string {
  return `${baseUrl}/sign-in/organization/${organizationId}/callback`;
}

/**
 * Returns the time at which a user signed in at a provider, from the claim `auth_time` (OpenID Connect Core 1.0 §2);
 * undefined if the provider does not state it. A time in the future counts as now.
 */
function provenTime(said: unknown, now: Date): Date | undefined {
  return typeof said === 'number' && said > 0 ? new Date(Math.min(said * 1_000, now.getTime())) : undefined;
}

function claimsFrom(said: Readonly<Record<string, unknown>>, roleClaim: string | undefined): ProviderClaims {
  const { sub, email, email_verified: verified } = said;
  if (typeof sub !== 'string') throw new ServiceError('invalid', 'The sign-in of the organization names no subject.');
  const claimed = roleClaim === undefined ? undefined : said[roleClaim];
  const role = (Array.isArray(claimed) ? claimed : [claimed]).find(
    (value) => typeof value === 'string' && isRole(value),
  );
  return {
    subject: sub,
    email: typeof email === 'string' && isEmail(email) ? email : undefined,
    isEmailVerified: verified === true || verified === 'true',
    role,
  };
}
