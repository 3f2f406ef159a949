import type { FieldErrorCollector } from '@tocsin/errors';
import type { ChannelConfig, ChannelKind, Deps } from './ports.ts';

/** The kind of this name; a name that is none is a field error that says what there is. */
export function requireKind({ kinds }: Deps, type: string, errors: FieldErrorCollector): ChannelKind | undefined {
  const kind = kinds.find((candidate) => candidate.type === type);
  const available = kinds.map((candidate) => candidate.type).join(', ');
  if (type === '') errors.add('type', 'is required');
  else if (!kind) errors.add('type', `must be one of ${available}`);
  return kind;
}

/** Checks the JSON text of a configuration. */
export async function checkConfig(kind: ChannelKind, configJson: string, errors: FieldErrorCollector): Promise<void> {
  const config = readConfig(configJson);
  if (config) await kind.check(config, errors);
  else errors.add('config', 'must be an object');
}

/** Undefined when the text is no JSON object. No text is an empty one. */
export function readConfig(configJson: string): ChannelConfig | undefined {
  if (configJson === '') return {};
  try {
    const value: unknown = JSON.parse(configJson);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as ChannelConfig) : undefined;
  } catch {
    return undefined;
  }
}
