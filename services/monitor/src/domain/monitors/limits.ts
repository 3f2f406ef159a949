import { MAX_CHANNELS_OF_MONITOR } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';

/** Maximum size of a config's JSON, in bytes of UTF-8. */
export const MAX_CONFIG_BYTES = 128 * 1024;

/** Maximum nesting depth of objects and arrays in a config, including the config itself. */
export const MAX_CONFIG_DEPTH = 32;

/**
 * Adds an error for each limit that a config exceeds. Runs before the config is parsed, because parsing is expensive
 * for a large or deep config.
 */
export function checkConfigSize(configJson: string, errors: FieldErrorCollector): void {
  const bytes = Buffer.byteLength(configJson);
  if (bytes > MAX_CONFIG_BYTES) {
    errors.add('config', `must be at most ${MAX_CONFIG_BYTES} bytes of JSON, and has ${bytes}`);
  } else if (depthOf(configJson) > MAX_CONFIG_DEPTH) {
    errors.add('config', `must be at most ${MAX_CONFIG_DEPTH} levels deep`);
  }
}

/** Returns whether the number of channels is within the limit, and adds an error if it is not. */
export function checkChannelCount(ids: readonly string[], errors: FieldErrorCollector): boolean {
  if (ids.length <= MAX_CHANNELS_OF_MONITOR) return true;
  errors.add('alert_channel_ids', `must be at most ${MAX_CHANNELS_OF_MONITOR} channels, and has ${ids.length}`);
  return false;
}

/** Returns the nesting depth of objects and arrays in a JSON string. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}
