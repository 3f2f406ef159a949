import type { Database, Transaction } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import { isId, networkOf, siteOf } from '@tocsin/text';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { SITE_FACTOR } from '../../domain/attempt-limit.ts';
import type { RevocationReason } from '../../domain/oauth/grant.ts';
import {
  type Artifact,
  consumeArtifact,
  countDeviceCodes,
  deleteArtifact,
  deleteSurplusOfGrant,
  deleteSurplusOfUser,
  evictWaitingDevice,
  findArtifact,
  lockWaitingDevices,
  saveArtifact,
} from '../../storage/oauth-artifact-store.ts';
import { findGrant } from '../../storage/oauth-grant-store.ts';
import { hashSecret } from '../secret.ts';
import { findRegisteredClient } from './clients.ts';
import { endGrants } from './grants.ts';

/**
 * Maximum number of tokens that are stored for a grant, by kind. Used refresh tokens remain stored, so that a second
 * use is detected.
 */
const KEPT_OF_GRANT: Readonly<Record<string, number>> = { AccessToken: 20, RefreshToken: 100 };
/** Maximum number of a user's authorization requests that are waiting for consent. */
const KEPT_INTERACTIONS = 50;
/**
 * Maximum number of valid device codes. The limit makes it impractical to guess a valid user code among the 25 billion
 * possible ones.
 */
const MAX_DEVICE_CODES = 10_000;
/** Maximum number of valid device codes of one network that were neither approved nor denied yet. */
const MAX_WAITING_OF_NETWORK = 50;
const MAX_WAITING_OF_SITE = MAX_WAITING_OF_NETWORK * SITE_FACTOR;

interface StorageDeps {
  readonly database: Database;
  readonly now: () => Date;
  /** Public URL of the installation. */
  readonly baseUrl: string;
  /** Returns why the current request revokes a grant. */
  readonly revocationReason: () => RevocationReason;
  /** Returns the IP address from which the current request was sent. */
  readonly address: () => string;
  /** Returns the error with which oidc-provider refuses a code or token that was used before. */
  readonly usedBefore: () => Error;
}

/**
 * Returns the storage of oidc-provider. It stores only SHA-256 hashes of tokens, codes and interaction ids, so that a
 * reader of the database can't use them.
 */
export function libraryStorage(deps: StorageDeps): (model: string) => Adapter {
  return (model) => {
    switch (model) {
      case 'Grant':
        return { ...unsupported(model), ...grantStorage(deps) };
      case 'Client':
        return { ...unsupported(model), ...clientStorage(deps) };
      case 'Interaction':
        return { ...unsupported(model), ...interactionStorage(deps) };
      case 'DeviceCode':
        return { ...unsupported(model), ...artifactStorage(deps, model), ...deviceCodeStorage(deps) };
      case 'AccessToken':
      case 'RefreshToken':
      case 'AuthorizationCode':
        return { ...unsupported(model), ...artifactStorage(deps, model) };
      default:
        return unsupported(model);
    }
  };
}

/** Returns storage that finds nothing and can't store anything. The features that need it are disabled. */
function unsupported(model: string): Adapter {
  const refuse = async () => {
    throw new Error(`this server does not store a ${model}`);
  };
  return {
    upsert: refuse,
    find: async () => undefined,
    findByUserCode: refuse,
    findByUid: refuse,
    consume: refuse,
    destroy: refuse,
    // Nothing to do: the library also deletes the grant, and this deletes all tokens and codes of the grant.
    revokeByGrantId: async () => undefined,
  };
}

/** Returns the storage for tokens and codes. */
function artifactStorage({ database, now, revocationReason, usedBefore }: StorageDeps, kind: string) {
  const run = <T>(work: (tx: Transaction) => Promise<T>) => database.transaction('every organization', work);
  return {
    async upsert(id: string, { grantId, ...payload }: AdapterPayload): Promise<undefined> {
      const kept = KEPT_OF_GRANT[kind];
      await run(async (tx) => {
        await saveArtifact(tx, { ...artifactOf(kind, id, payload, now()), grantId, userId: undefined });
        if (grantId && kept !== undefined) await deleteSurplusOfGrant(tx, { grantId, kind, kept });
      });
    },

    async find(id: string): Promise<AdapterPayload | undefined> {
      const found = await run((tx) => findArtifact(tx, kind, hashSecret(id)));
      return found && { ...payloadOf(kind, found), jti: id };
    },

    /**
     * Marks a token or code as consumed. Any further use, even a concurrent one, revokes the grant and throws an error.
     */
    async consume(id: string): Promise<undefined> {
      const isFirst = await run(async (tx) => {
        if (await consumeArtifact(tx, kind, hashSecret(id), now())) return true;
        const grantId = (await findArtifact(tx, kind, hashSecret(id)))?.grantId;
        if (grantId) await endGrants(tx, [grantId], { reason: revocationReason(), now: now() });
        return false;
      });
      if (!isFirst) throw usedBefore();
    },

    async destroy(id: string): Promise<undefined> {
      await run((tx) => deleteArtifact(tx, kind, hashSecret(id)));
    },
  };
}

/** Returns the storage for device codes, which are also found by their user code. */
function deviceCodeStorage({ database, now, address }: StorageDeps) {
  return {
    async upsert(id: string, { grantId, userCode, ...payload }: AdapterPayload): Promise<undefined> {
      const time = now();
      const networkHash = hashSecret(networkOf(address()));
      const site = siteOf(address());
      const siteHash = site === undefined ? undefined : hashSecret(site);
      await database.transaction('every organization', async (tx) => {
        const { ofNetwork, ofSite } = await lockWaitingDevices(tx, { networkHash, siteHash, now: time });
        if (ofNetwork >= MAX_WAITING_OF_NETWORK || ofSite >= MAX_WAITING_OF_SITE) {
          throw new ServiceError(
            'rate_limited',
            `${Math.max(ofNetwork, ofSite)} devices of your network wait for their users; try again in some minutes`,
          );
        }
        // Somebody with many networks must not prevent others from signing in. A code that its user has approved is
        // never deleted.
        if ((await countDeviceCodes(tx, time)) >= MAX_DEVICE_CODES && !(await evictWaitingDevice(tx, time))) {
          throw new ServiceError(
            'unavailable',
            'too many devices are waiting for their users; try again in a few minutes',
          );
        }
        await saveArtifact(tx, {
          ...artifactOf('DeviceCode', id, payload, time),
          grantId,
          userId: undefined,
          userCodeHash: userCode === undefined ? undefined : hashSecret(userCode),
          networkHash,
          siteHash,
        });
      });
    },
  };
}

/** Returns the storage for authorization requests that are waiting for the user's consent. */
function interactionStorage({ database, now, baseUrl }: StorageDeps) {
  return {
    // returnTo is left out, because its path contains the id, and the id may be stored only as a hash.
    async upsert(id: string, { returnTo: _, ...payload }: AdapterPayload): Promise<undefined> {
      const userId = payload.session?.accountId;
      await database.transaction('every organization', async (tx) => {
        await saveArtifact(tx, { ...artifactOf('Interaction', id, payload, now()), grantId: undefined, userId });
        if (userId) await deleteSurplusOfUser(tx, userId, KEPT_INTERACTIONS);
      });
    },

    async find(id: string): Promise<AdapterPayload | undefined> {
      const found = await database.transaction('every organization', (tx) =>
        findArtifact(tx, 'Interaction', hashSecret(id)),
      );
      return found && { ...payloadOf('Interaction', found), jti: id, returnTo: `${baseUrl}/oauth/authorize/${id}` };
    },

    async destroy(id: string): Promise<undefined> {
      await database.transaction('every organization', (tx) => deleteArtifact(tx, 'Interaction', hashSecret(id)));
    },
  };
}

/** Returns the storage for grants. The grants themselves are inserted by createGrant(). */
function grantStorage({ database, now, revocationReason }: StorageDeps) {
  return {
    async find(id: string): Promise<AdapterPayload | undefined> {
      if (!isId(id)) return undefined;
      const grant = await database.transaction('every organization', (tx) => findGrant(tx, id));
      if (!grant) return undefined;
      return {
        kind: 'Grant',
        jti: id,
        accountId: grant.userId,
        clientId: grant.clientId,
        openid: { scope: grant.scopes.join(' ') },
        iat: toSeconds(grant.createdAt),
        exp: toSeconds(grant.expiresAt),
      };
    },

    async destroy(id: string): Promise<undefined> {
      const revocation = { reason: revocationReason(), now: now() };
      await database.transaction('every organization', (tx) => endGrants(tx, [id], revocation));
    },
  };
}

/** Returns the storage for clients that registered themselves with registerClient(). */
function clientStorage({ database }: StorageDeps) {
  return {
    async find(id: string): Promise<AdapterPayload | undefined> {
      return findRegisteredClient(database, id);
    },
  };
}

/**
 * Returns the columns of a token or code. The id and the times are not part of the stored payload, because they have
 * their own columns.
 */
function artifactOf(kind: string, id: string, payload: AdapterPayload, now: Date) {
  const { jti: _, exp, consumed: __, ...stored } = payload;
  return {
    kind,
    idHash: hashSecret(id),
    payload: stored,
    userCodeHash: undefined as Buffer | undefined,
    networkHash: undefined as Buffer | undefined,
    siteHash: undefined as Buffer | undefined,
    createdAt: now,
    expiresAt: new Date((exp ?? 0) * 1_000),
  };
}

function payloadOf(kind: string, { payload, expiresAt, consumedAt, grantId }: Artifact): AdapterPayload {
  return {
    ...payload,
    kind,
    exp: toSeconds(expiresAt),
    ...(consumedAt && { consumed: toSeconds(consumedAt) }),
    ...(grantId && { grantId }),
  };
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
