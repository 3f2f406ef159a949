export { disruptionResource, disruptionTypeNames, type Noun } from './disruption.ts';
export { monitorResource, monitorResourceWith, stateChange } from './monitor.ts';
export { toMicroseconds, toSeconds, toSecondsOrNull } from './time.ts';
