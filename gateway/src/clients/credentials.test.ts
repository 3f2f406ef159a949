import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { CredentialSchema, type IdentityService, OrganizationSchema } from '@tocsin/proto/identity/v1/identity';
import { afterEach, expect, test, vi } from 'vitest';
import { remoteCredentials } from './credentials.ts';

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

test('internal tokens that expired while the machine was suspended are not used again', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START });
  let exchanges = 0;
  const identity = {
    async exchangeCredential() {
      exchanges += 1;
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
  await credentials.exchange('secret');
  await credentials.exchange('secret');
  expect(exchanges).toBe(1);
  vi.setSystemTime(START.getTime() + LIFETIME_SECONDS * 1_000);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await credentials.exchange('secret');
  expect(exchanges).toBe(2);
});
