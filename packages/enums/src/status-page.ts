import {
  ComponentStatus as ComponentStatusEnum,
  ShownStatus as ShownStatusEnum,
} from '@tocsin/proto/statuspage/v1/component_status';
import { DomainStatus as DomainStatusEnum } from '@tocsin/proto/statuspage/v1/custom_domain';
import { Locale as LocaleEnum, Theme as ThemeEnum } from '@tocsin/proto/statuspage/v1/statuspage';
import { enumTable, type NamesOf } from './enum-table.ts';

export const componentStatuses = enumTable(ComponentStatusEnum, 'operational');
export type ComponentStatus = NamesOf<typeof ComponentStatusEnum>;

/** Component statuses from best to worst. Maintenance is shown only if no component has a worse status. */
const BY_SEVERITY: readonly ComponentStatus[] = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
];

/** Returns the severity of a status: a higher number is worse. */
export function severityOf(status: ComponentStatus): number {
  return BY_SEVERITY.indexOf(status);
}

/** Statuses of components and pages as visitors see them. */
export const shownStatuses = enumTable(ShownStatusEnum, 'unknown');

export const themes = enumTable(ThemeEnum, 'system');
export type Theme = NamesOf<typeof ThemeEnum>;

/** Languages of status pages. */
export const locales = enumTable(LocaleEnum, 'en');
export type Locale = NamesOf<typeof LocaleEnum>;

export const domainStatuses = enumTable(DomainStatusEnum, 'none');
export type DomainStatus = NamesOf<typeof DomainStatusEnum>;
