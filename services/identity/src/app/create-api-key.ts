import { randomBytes } from 'node:crypto';
import { requireWithinLimit, type Transaction } from '@tocsin/database';
import { type Limits, PERMISSIONS, toLimits } from '@tocsin/enums';
import { invalid, notFound, ServiceError } from '@tocsin/errors';
import { executeOnce, type Repeatable, recordRequests } from '@tocsin/outbox';
import { v7, validate } from 'uuid';
import type { ApiKey } from '../domain/api-key.ts';
import { checkNewApiKey, type NewApiKey } from '../domain/new-api-key.ts';
import { API_KEY_ROWS, countCreatedSince, insertApiKey, lockCreatorKey } from '../storage/api-key-store.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { listLimits } from '../storage/limit-store.ts';
import { lockGrantUser, lockMembership } from '../storage/oauth-grant-store.ts';
import { firstOwner } from '../storage/organization-store.ts';
import { API_KEY_BYTES, formatApiKey, hashApiKey } from './api-key.ts';
import { getApiKey } from './get-api-key.ts';
import type { Deps } from './ports.ts';

/**
 * Maximum number of keys that an organization can create within 24 hours. This also limits the number of stored revoked
 * keys.
 */
const MAX_CREATED_PER_DAY = 500;
const DAY_MS = 24 * 3_600_000;

export interface CreatedApiKey extends Omit<ApiKey, 'lastUsedAt'> {
  /** Secret text of the key. It cannot be read later. */
  readonly key: string;
}

/** Creator of a key. Determines the owner of the key and the actor in the audit log. */
export type KeyCreator =
  | { readonly kind: 'admin'; readonly actor: string }
  | {
      /** A member who creates a key on a web page of identity. */
      readonly kind: 'member';
      readonly actor: string;
      readonly userId: string;
      /** Id of the session. */
      readonly credentialId: string;
      readonly permissions: readonly string[];
      readonly address: string;
    }
  | {
      readonly kind: 'credential';
      readonly actor: string;
      readonly credentialId: string;
      readonly permissions: readonly string[];
      readonly address: string | undefined;
    };

export interface ApiKeyToCreate extends NewApiKey, Repeatable {
  readonly organizationId: string;
  readonly creator: KeyCreator;
}

/**
 * Creates an API key. A key that the operator creates belongs to the organization's first owner. A key that is created
 * with another key belongs to that key's user, and has at most that key's permissions and lifetime. A key that is
 * created with an OAuth access token belongs to the token's user, has at most the token's permissions, and stays valid
 * after the token's grant ends.
 * @throws ServiceError `invalid` that names all invalid fields or the exceeded limit, `not_found` if the organization
 * does not exist, `forbidden` for a credential that was revoked in the meantime, `conflict` for a repeat, because the
 * text of the key is not stored.
 */
export async function createApiKey(deps: Deps, input: ApiKeyToCreate): Promise<CreatedApiKey> {
  const { organizationId } = input;
  return executeOnce(
    deps,
    input,
    () => insertNew(deps, input),
    async ([id = '']) => {
      await getApiKey(deps, organizationId, id);
      throw new ServiceError(
        'conflict',
        `this request was executed before: it created the API key ${id}, whose text can't be shown again; ` +
          'revoke that key, and create another one with a new idempotency key',
      );
    },
  );
}

async function insertNew(
  deps: Deps,
  { creator, organizationId, idempotencyId, ...input }: ApiKeyToCreate,
): Promise<CreatedApiKey> {
  const createdAt = deps.now();
  const held = creator.kind === 'admin' ? PERMISSIONS : creator.permissions;
  const { name, permissions, expiresAt: requested } = checkNewApiKey(input, createdAt, held);
  if (!validate(organizationId)) throw notFound('organization');
  const key = formatApiKey(randomBytes(API_KEY_BYTES));
  const created = { id: v7(), name, permissions, createdAt, createdBy: creator.actor };
  const origin = await deps.database.transaction({ organizationId }, async (tx) => {
    recordRequests(tx, organizationId, [{ idempotencyId, resourceIds: [created.id] }], createdAt);
    const { userId, latestExpiry, createdByKeyId } = await originOf(tx, organizationId, creator, createdAt);
    const expiresAt = earlierOf(requested, latestExpiry);
    const secretHash = hashApiKey(key);
    await insertApiKey(tx, { ...created, organizationId, userId, expiresAt, createdByKeyId, secretHash });
    await insertAudit(tx, {
      organizationId,
      actor: creator.actor,
      action: 'api_key.created',
      targetId: created.id,
      details: { name, permissions, expires_at: expiresAt?.toISOString() ?? null, created_by_key_id: createdByKeyId },
      occurredAt: createdAt,
      ...(creator.kind !== 'admin' && { address: creator.address, credentialId: creator.credentialId }),
    });
    await requireWithinLimit(tx, organizationId, API_KEY_ROWS, (await limitsOf(deps, tx, organizationId)).api_keys);
    // Count revoked keys as well. Otherwise a caller could create and revoke keys without a limit.
    const createdToday = await countCreatedSince(tx, organizationId, new Date(createdAt.getTime() - DAY_MS));
    if (createdToday > MAX_CREATED_PER_DAY) {
      throw invalid({ api_keys: [`are limited to ${MAX_CREATED_PER_DAY} created within 24 hours`] });
    }
    return { expiresAt, createdByKeyId };
  });
  return { ...created, ...origin, key };
}

interface Origin {
  readonly userId: string;
  readonly latestExpiry: Date | undefined;
  readonly createdByKeyId: string | undefined;
}

async function originOf(tx: Transaction, organizationId: string, creator: KeyCreator, now: Date): Promise<Origin> {
  if (creator.kind === 'admin') {
    const owner = await firstOwner(tx, organizationId);
    if (!owner) throw notFound('organization');
    return { userId: owner.id, latestExpiry: undefined, createdByKeyId: undefined };
  }
  if (creator.kind === 'member') {
    // This lock serializes the transaction with a concurrent removal of the member. Either the removal has already
    // committed, or it waits until this transaction ends.
    if (!(await lockMembership(tx, { organizationId, userId: creator.userId }))) {
      throw new ServiceError('forbidden', 'you are not a member any more');
    }
    return { userId: creator.userId, latestExpiry: undefined, createdByKeyId: undefined };
  }
  const { credentialId } = creator;
  const parent = await lockCreatorKey(tx, { organizationId, keyId: credentialId, now });
  if (parent) return { userId: parent.userId, latestExpiry: parent.expiresAt, createdByKeyId: credentialId };
  const userId = await lockGrantUser(tx, { organizationId, id: credentialId, now });
  if (userId === undefined)
    throw new ServiceError('forbidden', 'the credential that creates the API key was revoked or has expired');
  return { userId, latestExpiry: undefined, createdByKeyId: undefined };
}

/**
 * Returns the expiry time of a new key: the requested time or, if no time is requested, `latest`.
 * @throws ServiceError `invalid` if the new key would outlive the key that creates it.
 */
function earlierOf(requested: Date | undefined, latest: Date | undefined): Date | undefined {
  if (requested && latest && requested > latest) {
    const end = latest.toISOString().replace(/\.\d+/, '');
    throw invalid({ expires_at: [`must not be after ${end}, when the key that creates it expires`] });
  }
  return requested ?? latest;
}

async function limitsOf({ defaultLimits }: Deps, tx: Transaction, organizationId: string): Promise<Limits> {
  return toLimits({ ...defaultLimits, ...(await listLimits(tx, organizationId)) });
}
