import { randomUUID } from 'node:crypto';
import { openDatabase } from '@tocsin/database';
import { outboxMigrations, saveStoppedState } from '@tocsin/outbox';
import { createRuntime } from '@tocsin/runtime';
import { eventually, testDatabase, testIdentity } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { refuseStopped, startLoops } from '../src/index.ts';

test('credentials of an organization are refused while it is stopped, but services are never refused', async () => {
  await using storage = await testDatabase('stopped');
  await using database = await openDatabase({ url: storage.url, entities: [], migrations: outboxMigrations });
  const identity = await testIdentity();
  const runtime = createRuntime('sample', { logLevel: 'silent' });
  const verifier = refuseStopped({ database, verifier: identity.verifier });
  await using _reading = startLoops([verifier.loop], { database, runtime, now: () => new Date() });
  const [organizationId, other] = [randomUUID(), randomUUID()];
  const save = (state: 'stopped' | 'resuming' | 'deleting') =>
    database.transaction({ organizationId }, (tx) => saveStoppedState(tx, { organizationId, state, at: new Date() }));
  const verify = async (id: string) => verifier.verify(await identity.credentialToken(id), 'sample');
  const refusal = { kind: 'forbidden', message: 'the organization is stopped' };

  expect(await verify(organizationId)).toMatchObject({ organizationId });
  await save('stopped');
  await eventually(() => expect(verify(organizationId)).rejects.toMatchObject(refusal));
  expect(await verify(other)).toMatchObject({ organizationId: other });
  const service = await identity.serviceToken('notifier', organizationId, 'sample');
  expect(await verifier.verify(service, 'sample')).toMatchObject({ kind: 'service', organizationId });
  await save('resuming');
  await eventually(async () => expect(await verify(organizationId)).toMatchObject({ organizationId }));
  await save('deleting');
  await eventually(() => expect(verify(organizationId)).rejects.toMatchObject(refusal));
});
