import type { Transaction } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import { isId, problemOfLine } from '@tocsin/text';
import { v7 } from 'uuid';
import {
  domainOf,
  MAX_DOMAINS,
  type OrganizationDomain,
  PROOF_MS,
  parseDomain,
  recordOf,
} from '../domain/organization-sign-in.ts';
import type { SignedIn } from '../domain/session.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { listMembers } from '../storage/membership-store.ts';
import {
  deleteDomain,
  deleteProvider,
  findProvider,
  insertDomain,
  listDomains,
  replaceProof,
  type StoredProvider,
  saveProof,
  saveProvider,
} from '../storage/organization-sign-in-store.ts';
import { findOrganizationName, listOwners } from '../storage/organization-store.ts';
import { deleteSessionsElsewhere } from '../storage/session-store.ts';
import { isWithinLimit } from './limit-attempts.ts';
import { actorEntry, readMembership } from './members.ts';
import type { Deps } from './ports.ts';
import { proveUser } from './prove-user.ts';
import { createSecret } from './secret.ts';

type ProviderDeps = Pick<
  Deps,
  'database' | 'now' | 'vault' | 'providers' | 'dns' | 'passwordChecks' | 'mails' | 'background' | 'baseUrl'
>;

/** Returns the vault context for the sealed secret of an organization's provider. */
export function providerContext(organizationId: string): string {
  return `oidc/${organizationId}`;
}

/** Settings for signing in through a provider, as an owner sees them. */
export interface ProviderSettings {
  readonly provider: Pick<StoredProvider, 'issuer' | 'clientId' | 'roleClaim' | 'isEnforced'> | undefined;
  readonly domains: readonly OrganizationDomain[];
}

export async function readProviderSettings(
  { database }: Pick<Deps, 'database'>,
  organizationId: string,
): Promise<ProviderSettings> {
  return database.transaction({ organizationId }, async (tx) => ({
    provider: await findProvider(tx, organizationId),
    domains: await listDomains(tx, organizationId),
  }));
}

export interface ProviderInput {
  readonly issuer: string;
  readonly clientId: string;
  /** Client secret at the provider; empty to use the stored one. */
  readonly clientSecret: string;
  /** Name of the claim that contains the role; empty if roles are not taken from the provider. */
  readonly roleClaim: string;
  readonly current: string;
}

/**
 * Saves an organization's provider on behalf of an owner. Only owners may do this, because a person who controls the
 * provider can sign in as any member. Needs a fresh sign-in or the current password. If the issuer changes, the
 * ownership of every domain has to be proven again with a new DNS record. Otherwise an owner who does not control the
 * domains could sign in as every member through a provider of their own. All owners get an email.
 * @returns The problem with the input; undefined if the provider was saved.
 * @throws ServiceError `forbidden` for a user who is not an owner, `not_found` for one who is not a member.
 */
export async function changeProvider(
  deps: ProviderDeps,
  { organizationId, signedIn, input }: { organizationId: string; signedIn: SignedIn; input: ProviderInput },
): Promise<string | undefined> {
  await requireOwner(deps, organizationId, signedIn);
  const { issuer, clientId, clientSecret, roleClaim, current } = input;
  const problem =
    (await deps.providers.problemOfIssuer(issuer)) ?? problemOf('client id', clientId) ?? problemOfSecret(clientSecret);
  if (problem) return problem;
  if (roleClaim !== '' && problemOfLine(roleClaim, 200)) return 'The name of the claim must be one line of text.';
  const unproven = await proveUser(deps, signedIn, current);
  if (unproven) return unproven;
  const { database, now, vault } = deps;
  const outcome = await database.transaction({ organizationId }, async (tx) => {
    const before = await findProvider(tx, organizationId);
    // The stored secret is used only with the provider for which it was entered. It must never be sent to another
    // provider.
    const isKept = clientSecret === '' && before?.issuer === issuer && before.clientId === clientId;
    if (clientSecret === '' && !isKept) return 'Enter the client secret.';
    const sealedClientSecret = isKept
      ? before.sealedClientSecret
      : vault.seal(clientSecret, providerContext(organizationId));
    const isSame = before?.issuer === issuer;
    const provider = {
      organizationId,
      issuer,
      clientId,
      sealedClientSecret,
      roleClaim: roleClaim || undefined,
      // After the issuer has changed, no user can sign in at the provider until the domains are proven again.
      isEnforced: isSame && before.isEnforced,
    };
    await saveProvider(tx, provider, now());
    if (!isSame) {
      for (const { id } of await listDomains(tx, organizationId)) await replaceProof(tx, id, createProof());
    }
    const entry = { organizationId, targetId: organizationId, occurredAt: now(), action: 'provider.changed' };
    const details = {
      issuer,
      client_id: clientId,
      role_claim: roleClaim || null,
      client_secret: isKept ? 'kept' : 'changed',
    };
    await insertAudit(tx, { ...entry, ...actorEntry({ kind: 'member', signedIn }), details });
    return { name: await findOrganizationName(tx, organizationId), owners: await listOwners(tx, organizationId) };
  });
  if (typeof outcome === 'string') return outcome;
  const notice = `${signedIn.user.email} changed how members sign in: at ${issuer}, for the domains that are proven for it.`;
  const url = `${deps.baseUrl}/account/organizations/${organizationId}/settings`;
  for (const { email } of outcome.owners) {
    deps.background.run(organizationId, 'reporting a changed provider', () =>
      deps.mails.organizationNotice(email, { organizationName: outcome.name ?? '', notice, url }),
    );
  }
  return undefined;
}

interface OwnerChange {
  readonly organizationId: string;
  readonly signedIn: SignedIn;
  readonly current: string;
}

/**
 * Enforces an organization's provider, or stops enforcing it, on behalf of an owner. Needs a fresh sign-in or the
 * current password. To enforce it, the owner must have signed in at the provider: an owner could otherwise lock all
 * members out. Enforcing ends all sessions of members with addresses in the proven domains, except for sessions that
 * began at the provider.
 * @returns The problem; undefined if the setting was changed.
 * @throws ServiceError `forbidden` for a user who is not an owner, `not_found` for one who is not a member.
 */
export async function enforceProvider(
  deps: Pick<Deps, 'database' | 'now' | 'passwordChecks'>,
  { organizationId, signedIn, current, isEnforced }: OwnerChange & { isEnforced: boolean },
): Promise<string | undefined> {
  await requireOwner(deps, organizationId, signedIn);
  const unproven = await proveUser(deps, signedIn, current);
  if (unproven) return unproven;
  const { database, now } = deps;
  // Sessions belong to users and not to an organization, so this transaction is not limited to one organization.
  return database.transaction('every organization', async (tx) => {
    const provider = await findProvider(tx, organizationId);
    if (!provider) return 'There is no provider.';
    if (isEnforced && signedIn.session.providerOrganizationId !== organizationId) {
      return 'Sign in with your organization first, so that you know that it works.';
    }
    if (provider.isEnforced === isEnforced) return undefined;
    await saveProvider(tx, { ...provider, isEnforced }, now());
    const action = isEnforced ? 'provider.enforced' : 'provider.not_enforced';
    const entry = { organizationId, targetId: organizationId, occurredAt: now(), action, details: {} };
    await insertAudit(tx, { ...entry, ...actorEntry({ kind: 'member', signedIn }) });
    if (isEnforced) await endSessionsElsewhere(tx, organizationId);
    return undefined;
  });
}

async function endSessionsElsewhere(tx: Transaction, organizationId: string): Promise<void> {
  const domains = await listDomains(tx, organizationId);
  const proven = new Set(domains.filter(({ provenAt }) => provenAt).map(({ domain }) => domain));
  for (const { userId, email } of await listMembers(tx, organizationId)) {
    if (proven.has(domainOf(email))) await deleteSessionsElsewhere(tx, userId, organizationId);
  }
}

/**
 * Removes an organization's sign-in provider on behalf of an owner. The users of the provider can then sign in with
 * emailed links. Needs a fresh sign-in or the current password.
 * @returns The problem; undefined if it was removed.
 */
export async function removeProvider(
  deps: Pick<Deps, 'database' | 'now' | 'passwordChecks'>,
  { organizationId, signedIn, current }: OwnerChange,
): Promise<string | undefined> {
  await requireOwner(deps, organizationId, signedIn);
  const unproven = await proveUser(deps, signedIn, current);
  if (unproven) return unproven;
  const { database, now } = deps;
  await database.transaction({ organizationId }, async (tx) => {
    if (!(await deleteProvider(tx, organizationId))) return;
    const entry = {
      organizationId,
      targetId: organizationId,
      occurredAt: now(),
      action: 'provider.removed',
      details: {},
    };
    await insertAudit(tx, { ...entry, ...actorEntry({ kind: 'member', signedIn }) });
  });
  return undefined;
}

/**
 * Adds a domain. The organization then has to prove that it owns the domain. Returns the problem, or undefined if the
 * domain was added.
 */
export async function addDomain(
  deps: Pick<Deps, 'database' | 'now'>,
  { organizationId, signedIn, text }: { organizationId: string; signedIn: SignedIn; text: string },
): Promise<string | undefined> {
  await requireOwner(deps, organizationId, signedIn);
  const domain = parseDomain(text);
  if (!domain) return 'Enter a domain, such as example.com.';
  return deps.database.transaction({ organizationId }, async (tx) => {
    const known = await listDomains(tx, organizationId);
    if (known.length >= MAX_DOMAINS) return `An organization has at most ${MAX_DOMAINS} domains.`;
    await insertDomain(tx, { id: v7(), organizationId, domain, proof: createProof() });
    return undefined;
  });
}

/**
 * Looks for the DNS record that proves the ownership of a domain. Returns the problem, or undefined if the ownership is
 * proven.
 */
export async function proveDomain(
  deps: Pick<Deps, 'database' | 'now' | 'dns'>,
  { organizationId, signedIn, id }: { organizationId: string; signedIn: SignedIn; id: string },
): Promise<string | undefined> {
  await requireOwner(deps, organizationId, signedIn);
  const { database, now } = deps;
  const domains = await database.transaction({ organizationId }, (tx) => listDomains(tx, organizationId));
  const domain = domains.find((one) => one.id === id);
  if (!domain) return undefined;
  // Lookups are limited, because an organization could enter somebody else's domain, whose name servers would then be
  // queried.
  if (!(await isWithinLimit(deps, 'domain_proof_of_organization', organizationId))) {
    return 'The records were looked for too often. Try again in an hour.';
  }
  const isProven = await verifyDomain(deps, domain);
  if (!isProven) return `The record ${recordOf(domain.domain)} was not found. It can take an hour until it is visible.`;
  if (domain.provenAt) return undefined;
  await database.transaction({ organizationId }, async (tx) => {
    const entry = { organizationId, targetId: id, occurredAt: now(), action: 'domain.proven' };
    const details = { domain: domain.domain };
    await insertAudit(tx, { ...entry, ...actorEntry({ kind: 'member', signedIn }), details });
  });
  return undefined;
}

/**
 * Removes a domain. Users with addresses in the domain can no longer sign in at the provider. Needs a fresh sign-in or
 * the current password.
 * @returns The problem; undefined if it was removed.
 */
export async function removeDomain(
  deps: Pick<Deps, 'database' | 'now' | 'passwordChecks'>,
  { organizationId, signedIn, current, id }: OwnerChange & { id: string },
): Promise<string | undefined> {
  await requireOwner(deps, organizationId, signedIn);
  const unproven = await proveUser(deps, signedIn, current);
  if (unproven) return unproven;
  if (!isId(id)) return undefined;
  await deps.database.transaction({ organizationId }, async (tx) => {
    const domain = await deleteDomain(tx, organizationId, id);
    if (domain === undefined) return;
    const entry = { organizationId, targetId: id, occurredAt: deps.now(), action: 'domain.removed' };
    await insertAudit(tx, { ...entry, ...actorEntry({ kind: 'member', signedIn }), details: { domain } });
  });
  return undefined;
}

/**
 * Returns the domains of the given email addresses, limited to domains that the organization has proven to own. A proof
 * that is older than a day is verified again, because a domain may get another owner.
 */
export async function provenDomains(
  deps: Pick<Deps, 'database' | 'now' | 'dns'>,
  { organizationId, emails }: { organizationId: string; emails: readonly string[] },
): Promise<string[]> {
  const { database, now } = deps;
  const needed = new Set(emails.map(domainOf));
  const domains = await database.transaction({ organizationId }, (tx) => listDomains(tx, organizationId));
  const proven: string[] = [];
  for (const domain of domains) {
    if (!needed.has(domain.domain) || !domain.provenAt) continue;
    const isRecent = now().getTime() - domain.provenAt.getTime() < PROOF_MS;
    if (isRecent || (await verifyDomain(deps, domain))) proven.push(domain.domain);
  }
  return proven;
}

/** Looks for the DNS record that proves the ownership of a domain, and stores whether it was found. */
async function verifyDomain(
  { database, now, dns }: Pick<Deps, 'database' | 'now' | 'dns'>,
  { id, domain, proof }: OrganizationDomain,
): Promise<boolean> {
  const isProven = (await dns.texts(recordOf(domain))).includes(proof);
  const provenAt = isProven ? now() : undefined;
  await database.transaction('every organization', (tx) => saveProof(tx, { id, domain, provenAt }));
  return isProven;
}

function createProof(): string {
  return `tocsin-sign-in=${createSecret()}`;
}

async function requireOwner(
  deps: Pick<Deps, 'database' | 'now'>,
  organizationId: string,
  { user }: SignedIn,
): Promise<void> {
  const { role } = await readMembership(deps, organizationId, user);
  if (role !== 'owner') throw new ServiceError('forbidden', 'Only an owner changes how members sign in.');
}

function problemOf(what: string, text: string): string | undefined {
  const problem = problemOfLine(text, 500);
  return problem && `The ${what} ${problem}.`;
}

function problemOfSecret(text: string): string | undefined {
  return text === '' ? undefined : problemOf('client secret', text);
}
