import { randomUUID } from 'node:crypto';
import { DisruptionCreatedSchema, DisruptionDeletedSchema } from '@tocsin/proto/disruption/v1/events';
import { withIdempotencyId } from '@tocsin/runtime';
import { EXECUTED_ONCE, eventually, observeRepeats } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { disruptionFixture } from './start-disruption.ts';

const fixture = await disruptionFixture();
const { rpc } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

test('a repeated creation creates one disruption, even if it is the last one of the quota', async () => {
  const as = await fixture.as(v7(), { limits: { disruptions: 1 } });
  const repeated = withIdempotencyId(randomUUID(), as);
  const observed = await observeRepeats({
    create: async () => [(await rpc.createDisruption({ title: 'Slow' }, repeated)).disruption?.id ?? ''],
    list: async () => (await rpc.listDisruptions({}, as)).disruptions.map(({ id }) => id),
    remove: ([id = '']) => rpc.deleteDisruption({ id }, as),
  });
  expect(observed).toEqual(EXECUTED_ONCE);
});

test('a repeat returns the disruption as it is now, and publishes no event', async () => {
  const as = await fixture.as(v7());
  const create = () => rpc.createDisruption({ title: 'Slow' }, repeated);
  const repeated = withIdempotencyId(randomUUID(), as);
  const id = (await create()).disruption?.id ?? '';
  await rpc.updateDisruption({ id, title: 'Very slow' }, as);
  expect((await create()).disruption).toMatchObject({ id, title: 'Very slow' });
  await rpc.deleteDisruption({ id }, as);
  await eventually(async () => {
    const types = (await fixture.published(id)).map(({ type }) => type);
    expect(types.at(-1)).toBe(DisruptionDeletedSchema.typeName);
    expect(types.filter((type) => type === DisruptionCreatedSchema.typeName)).toHaveLength(1);
  });
});
