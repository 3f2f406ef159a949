import {
  DisruptionImpact as DisruptionImpactEnum,
  DisruptionStatus as DisruptionStatusEnum,
  DisruptionType as DisruptionTypeEnum,
} from '@tocsin/proto/disruption/v1/disruption';
import { enumTable, type NamesOf } from './enum-table.ts';

export const disruptionTypes = enumTable(DisruptionTypeEnum, 'disruption');
export type DisruptionType = NamesOf<typeof DisruptionTypeEnum>;

export const disruptionStatuses = enumTable(DisruptionStatusEnum, 'investigating');
export type DisruptionStatus = NamesOf<typeof DisruptionStatusEnum>;

export const disruptionImpacts = enumTable(DisruptionImpactEnum, 'major');
export type DisruptionImpact = NamesOf<typeof DisruptionImpactEnum>;

/** Entries of a disruption's timeline, besides the one that ends it: that is always possible. */
export const MAX_UPDATES = 200;

/** Bytes of UTF-8 of all messages of a timeline that is entered at once, so that it fits into one event. */
export const MAX_ENTERED_BYTES = 64 * 1024;
