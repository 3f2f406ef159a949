import {
  AutomaticText as AutomaticTextEnum,
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

export const automaticTexts = enumTable(AutomaticTextEnum, 'default_of_status');
/** Texts of timeline entries that the system writes. */
export type AutomaticText = NamesOf<typeof AutomaticTextEnum>;

/** Maximum number of updates in a disruption's timeline. The update that ends the disruption does not count. */
export const MAX_UPDATES = 200;

/**
 * Maximum total size of the messages in a disruption's timeline, in bytes of UTF-8. The update that ends the disruption
 * does not count.
 */
export const MAX_TIMELINE_BYTES = 512 * 1024;

/**
 * Maximum total size of the messages in a timeline that is created in one request, in bytes of UTF-8. It bounds the
 * size of the event that the request publishes.
 */
export const MAX_ENTERED_BYTES = 64 * 1024;
