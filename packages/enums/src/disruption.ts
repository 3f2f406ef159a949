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
