import { FieldErrorCollector, type FieldErrors, ServiceError } from '@tocsin/errors';
import { createNetguard, parseAllowedTargets } from '@tocsin/netguard';
import { postedKinds } from '../src/channels/kinds.ts';
import type { ChannelConfig } from '../src/domain/channel-config.ts';
import { apisAt } from './provider-apis.ts';

const addresses = new Map([
  ['inside.example.com', '127.0.0.1'],
  ['outside.example.com', '8.8.8.8'],
]);
const guard = createNetguard({
  allow: parseAllowedTargets('127.0.0.0/8'),
  resolve: async (host) => [{ address: addresses.get(host) ?? '8.8.4.4', family: 4 }],
});
const kinds = Object.values(
  postedKinds({
    guard,
    apiGuard: guard,
    apiUrls: apisAt('https://provider.example.com'),
    now: () => new Date(),
  }),
);

/** Returns the errors in a configuration, by field. The address range 127.0.0.0/8 is allowed. */
export async function configErrors(type: string, config: ChannelConfig): Promise<FieldErrors> {
  const errors = new FieldErrorCollector();
  const kind = kinds.find((candidate) => candidate.type === type);
  if (!kind) throw new Error(`no channel is of the type ${type}`);
  await kind.check(config, errors);
  try {
    errors.throwIfAny();
    return {};
  } catch (error) {
    if (error instanceof ServiceError) return error.fields;
    throw error;
  }
}
