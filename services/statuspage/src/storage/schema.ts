import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';

export const StatusPageEntity = defineEntity({
  name: 'StatusPage',
  tableName: 'status_page',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    slug: p.text(),
    description: p.text().nullable(),
    theme: p.text(),
    primaryColor: p.text().nullable(),
    logoLightUrl: p.text().nullable(),
    logoDarkUrl: p.text().nullable(),
    showThemeSwitcher: p.boolean(),
    enabled: p.boolean(),
    subscribersEnabled: p.boolean(),
    showUptime: p.boolean(),
    homepageUrl: p.text().nullable(),
    supportUrl: p.text().nullable(),
    locale: p.text(),
    noindex: p.boolean(),
    domain: p.text().nullable(),
    domainStatus: p.text().nullable(),
    domainToken: p.text(),
    domainCheckAt: p.datetime().nullable(),
    domainUnprovenSince: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export type StatusPageRow = InferEntity<typeof StatusPageEntity>;

export const entities = [StatusPageEntity];
