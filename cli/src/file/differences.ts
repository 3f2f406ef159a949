import { isEqual, isObject, type Json, type JsonObject } from '../json.ts';
import type { ChannelLink } from './desired.ts';
import type { Change } from './plan.ts';

/**
 * Returns the fields of `wanted` whose values differ from those of an existing resource. Fields that the resource lacks
 * are left out, because an older installation does not know them.
 */
export function differences(wanted: JsonObject, existing: JsonObject): Change[] {
  return Object.entries(wanted)
    .filter(([field, value]) => Object.hasOwn(existing, field) && !isEqual(value, existing[field] ?? null))
    .map(([field, to]) => ({ field, from: existing[field] ?? null, to }));
}

/** Returns the fields in which two configs differ, including fields that only one of them has. */
export function configDifferences(wanted: Json | undefined, existing: JsonObject): Change[] {
  const config = isObject(wanted) ? wanted : {};
  const fields = [...new Set([...Object.keys(existing), ...Object.keys(config)])];
  return fields
    .filter((field) => !isEqual(config[field], existing[field]))
    .map((field) => ({ field: `config.${field}`, from: existing[field], to: config[field] }));
}

/** Returns the settings whose fields are in `changes`. */
export function changedFields(settings: JsonObject, changes: readonly Change[]): Record<string, Json> {
  const changed = changes.map(({ field }) => field);
  return Object.fromEntries(
    Object.entries(settings).flatMap(([field, value]) => (changed.includes(field) ? [[field, value ?? null]] : [])),
  );
}

/** Returns an object without one of its fields. */
export function without(fields: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => field !== name));
}

/** Returns channel links in the form that they have in a file: a link with default settings is only a name. */
export function linkNames(links: readonly ChannelLink[]): Json[] {
  return links.map(
    ({ channel, after_minutes, events }): Json =>
      after_minutes === 0 && events === null ? channel : { channel, after_minutes, events },
  );
}
