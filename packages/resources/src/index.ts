export { componentStatuses } from './component-statuses.ts';
export {
  disruptionImpacts,
  disruptionResource,
  disruptionStatuses,
  disruptionTypes,
  type Noun,
} from './disruption.ts';
export { checkTypes, monitorResource, monitorStates, stateChange } from './monitor.ts';
export { toMicroseconds, toSeconds, toSecondsOrNull } from './time.ts';
export { enumNames, type Words } from './words.ts';
