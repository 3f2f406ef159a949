import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import type { ChannelLink } from '../../domain/monitors/channel-links.ts';

/** Monitors with their settings. Data that changes with every round is in separate narrow tables. */
export const MonitorEntity = defineEntity({
  name: 'Monitor',
  tableName: 'monitor',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    checkType: p.text(),
    enabled: p.boolean(),
    intervalSeconds: p.integer(),
    timeoutMs: p.integer(),
    confirmDownMinutes: p.integer(),
    confirmUpMinutes: p.integer(),
    confirmDownAfter: p.integer(),
    confirmUpAfter: p.integer(),
    configJson: p.text(),
    alertChannelIds: p.array().columnType('uuid[]'),
    alertChannelLinks: p.json<ChannelLink[]>(),
    secretNames: p.array().columnType('text[]'),
    heartbeatTokenHash: p.text().nullable(),
    heartbeatTokenSealed: p.text().nullable(),
    version: p.bigint('number'),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export type MonitorRow = InferEntity<typeof MonitorEntity>;

/** Columns of a MonitorRow, for plain SQL. */
export const MONITOR_COLUMNS = Object.keys(MonitorEntity.meta.properties)
  .map((property) => `${property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} as "${property}"`)
  .join(', ');

export const entities = [MonitorEntity];
