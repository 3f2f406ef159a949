export { disruptionResource, disruptionTypeNames, type Noun } from './disruption.ts';
export { monitorResource, stateChange } from './monitor.ts';
export { toMicroseconds, toSeconds, toSecondsOrNull } from './time.ts';
