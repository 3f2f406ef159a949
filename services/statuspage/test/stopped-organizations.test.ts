import { outgoingEvent } from '@tocsin/outbox';
import {
  OrganizationDeletedSchema,
  OrganizationResumedSchema,
  OrganizationStoppedSchema,
} from '@tocsin/proto/identity/v1/events';
import { eventually, tablesContaining } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { component, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const fixture = await statusPageFixture();
afterAll(() => fixture[Symbol.asyncDispose]());

async function organizationWithPages() {
  const organizationId = v7();
  const us = await fixture.as(organizationId);
  const [slug, hidden] = [freshSlug(), freshSlug()];
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug, enabled: true }, us);
  await fixture.rpc.createStatusPage({ name: 'Hidden', slug: hidden }, us);
  await fixture.rpc.replaceStructure({ id: statusPage?.id ?? '', entries: [component({ name: 'API' })] }, us);
  const status = async (of: string) => (await fetch(`${fixture.url}/s/${of}`)).status;
  const publish = (schema: typeof OrganizationStoppedSchema | typeof OrganizationResumedSchema) =>
    fixture.publish(
      outgoingEvent<typeof schema>(schema, { organizationId }, { organizationId, aggregateId: organizationId }),
    );
  return { organizationId, status: () => status(slug), hiddenStatus: () => status(hidden), publish };
}

test('the pages of a stopped organization are not public until it resumes', async () => {
  const acme = await organizationWithPages();
  const other = await organizationWithPages();
  expect([await acme.status(), await acme.hiddenStatus()]).toEqual([200, 404]);
  await acme.publish(OrganizationStoppedSchema);
  await eventually(async () => expect(await acme.status()).toBe(404));
  expect(await other.status()).toBe(200);
  await acme.publish(OrganizationResumedSchema);
  await eventually(async () => expect(await acme.status()).toBe(200));
  // A page that was not public before the stop is not public after the organization resumes.
  expect(await acme.hiddenStatus()).toBe(404);
});

test('a deleted organization leaves no row', async () => {
  const acme = await organizationWithPages();
  const tables = () => tablesContaining(fixture.databaseUrl, acme.organizationId);
  expect(await tables()).toContain('component');
  const { organizationId } = acme;
  await fixture.publish(
    outgoingEvent(OrganizationDeletedSchema, { organizationId }, { organizationId, aggregateId: organizationId }),
  );
  await eventually(async () =>
    expect((await tables()).filter((name) => name !== 'published_event')).toEqual(['inbox', 'stopped_organization']),
  );
  expect(await acme.status()).toBe(404);
});
