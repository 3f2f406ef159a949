import type { FieldErrorCollector } from '@tocsin/errors';
import { readConfig } from '../domain/channel-config.ts';
import type { ChannelKind, Deps } from './ports.ts';

/** Returns the channel kind with this type name. If there is none, adds a field error that lists all types. */
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
