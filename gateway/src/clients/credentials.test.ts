import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import { CredentialSchema, type IdentityService, OrganizationSchema } from '@tocsin/proto/identity/v1/identity';
import { afterEach, expect, test, vi } from 'vitest';
import { type Credentials, remoteCredentials } from './credentials.ts';

const START = new Date('2026-01-10T12:00:00Z');
const LIFETIME_SECONDS = 300;

afterEach(() => {
  vi.useRealTimers();
});

/** Returns a token without a valid signature. */
function tokenFrom(now: number): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const iat = Math.floor(now / 1_000);
  return `${encode({ alg: 'none' })}.${encode({ iat, exp: iat + LIFETIME_SECONDS })}.x`;
}

interface FakeIdentity {
  readonly credentials: Credentials;
  /** Number of calls to identity. */
  exchanges: number;
  isRevoked: boolean;
}

/** Returns credentials that are exchanged at an identity service that knows every secret. */
function atFakeIdentity(): FakeIdentity {
  const identity = {
    async exchangeCredential() {
      fake.exchanges += 1;
      if (fake.isRevoked) throw new ServiceError('unauthenticated', 'unknown credential');
      return {
        tokens: { monitor: tokenFrom(Date.now()) },
        organization: create(OrganizationSchema, { id: 'acme' }),
        credential: create(CredentialSchema, { id: 'key' }),
        limits: {},
      };
    },
  };
  // The cast is safe, because the tested code calls only this method.
  const credentials = remoteCredentials(identity as unknown as Client<typeof IdentityService>);
  const fake = { credentials, exchanges: 0, isRevoked: false };
  return fake;
}

test('a credential that identity has accepted is not limited after its tokens have expired, until it is revoked', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START });
  const fake = atFakeIdentity();
  const limit = vi.fn();
  const exchangeLater = async () => {
    vi.setSystemTime(Date.now() + LIFETIME_SECONDS * 1_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return fake.credentials.exchange('secret', limit);
  };
  await fake.credentials.exchange('secret', limit);
  expect(limit).toHaveBeenCalledTimes(1);
  await exchangeLater();
  expect(fake.exchanges).toBe(2);
  expect(limit).toHaveBeenCalledTimes(1);
  fake.isRevoked = true;
  await expect(exchangeLater()).rejects.toThrow('unknown credential');
  expect(limit).toHaveBeenCalledTimes(1);
  await expect(exchangeLater()).rejects.toThrow('unknown credential');
  expect(limit).toHaveBeenCalledTimes(2);
});

test('internal tokens that expired while the machine was suspended are not used again', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START });
  const fake = atFakeIdentity();
  const { credentials } = fake;
  await credentials.exchange('secret');
  await credentials.exchange('secret');
  expect(fake.exchanges).toBe(1);
  vi.setSystemTime(START.getTime() + LIFETIME_SECONDS * 1_000);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await credentials.exchange('secret');
  expect(fake.exchanges).toBe(2);
});
