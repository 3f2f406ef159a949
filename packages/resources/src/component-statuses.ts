import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { enumNames } from './words.ts';

export const componentStatuses = enumNames(
  ComponentStatus,
  ['operational', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance'],
  'operational',
);
