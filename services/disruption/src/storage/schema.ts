import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';

export const DisruptionEntity = defineEntity({
  name: 'Disruption',
  tableName: 'disruption',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    title: p.text(),
    automaticTitle: p.boolean(),
    type: p.text(),
    status: p.text(),
    impact: p.text(),
    autoCreated: p.boolean(),
    monitorId: p.uuid().nullable(),
    startedAt: p.datetime(),
    endsAt: p.datetime().nullable(),
    dueAt: p.datetime().nullable(),
    resolvedAt: p.datetime().nullable(),
    statusPageIds: p.array(),
    hiddenPageIds: p.array(),
    acknowledgedAt: p.datetime().nullable(),
    acknowledgedBy: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const UpdateEntity = defineEntity({
  name: 'DisruptionUpdate',
  tableName: 'disruption_update',
  properties: {
    id: p.uuid().primary(),
    disruptionId: p.uuid(),
    organizationId: p.uuid(),
    status: p.text(),
    body: p.text(),
    explanation: p.text().nullable(),
    automatic: p.boolean(),
    automaticText: p.text().nullable(),
    postedAt: p.datetime(),
    postedBy: p.text(),
    editedAt: p.datetime().nullable(),
    silent: p.boolean(),
  },
});

export const ComponentEntity = defineEntity({
  name: 'AffectedComponent',
  tableName: 'affected_component',
  properties: {
    disruptionId: p.uuid().primary(),
    componentId: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    status: p.text(),
    statusPageId: p.uuid(),
    position: p.integer(),
  },
});

export type DisruptionRow = InferEntity<typeof DisruptionEntity>;
export type UpdateRow = InferEntity<typeof UpdateEntity>;
export type ComponentRow = InferEntity<typeof ComponentEntity>;

export const entities = [DisruptionEntity, UpdateEntity, ComponentEntity];
