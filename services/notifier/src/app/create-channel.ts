import { requireWithinLimit } from '@tocsin/database';
import { FieldErrorCollector } from '@tocsin/errors';
import { appendEvents, executeOnce, type Repeatable, recordRequests } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { type Channel, problemOfName } from '../domain/channel.ts';
import { changePolicy, checkPolicy, DEFAULT_POLICY, type PolicyChanges } from '../domain/channel-policy.ts';
import { channelCreated } from '../events/outgoing.ts';
import { CHANNEL_ROWS, insertChannel } from '../storage/channel-store.ts';
import { askToConfirm } from './channel-recipients.ts';
import { checkConfig, requireKind } from './check-config.ts';
import { checkFallback } from './check-fallback.ts';
import { getChannel } from './get-channel.ts';
import { type Deps, vaultContext } from './ports.ts';

export interface NewChannel extends Repeatable {
  readonly organizationId: string;
  /** Maximum number of channels of the organization. */
  readonly limit: number;
  readonly name: string;
  readonly type: string;
  readonly configJson: string;
  /** Defaults to true. */
  readonly enabled?: boolean | undefined;
  /** Defaults to false. */
  readonly defaultForNewMonitors?: boolean | undefined;
  /** Defaults to no fallback. */
  readonly fallbackChannelId?: string | undefined;
  readonly policy?: PolicyChanges | undefined;
}

/**
 * Creates a channel. A repeat returns the channel as it is now.
 * @throws ServiceError `invalid` that names all invalid fields or the limit that was reached; `conflict` for a repeat
 * after the channel was deleted.
 */
export function createChannel(deps: Deps, input: NewChannel): Promise<Channel> {
  const { organizationId } = input;
  return executeOnce(
    deps,
    input,
    () => insertNew(deps, input),
    ([id = '']) => getChannel(deps, { organizationId, id }),
  );
}

async function insertNew(deps: Deps, input: NewChannel): Promise<Channel> {
  const {
    organizationId,
    idempotencyId,
    name,
    type,
    configJson,
    enabled = true,
    defaultForNewMonitors = false,
    fallbackChannelId,
    policy = {},
  } = input;
  const errors = new FieldErrorCollector();
  const nameProblem = problemOfName(name);
  if (nameProblem) errors.add('name', nameProblem);
  const kind = requireKind(deps, type, errors);
  if (kind) await checkConfig(kind, configJson, errors);
  if (kind) checkPolicy(kind.type, policy, errors);
  await checkFallback(deps, { organizationId, fallbackChannelId }, errors);
  errors.throwIfAny();

  const now = deps.now();
  const channel: Channel = {
    id: v7(),
    organizationId,
    name,
    type,
    enabled,
    defaultForNewMonitors,
    broken: undefined,
    failingSince: undefined,
    fallbackChannelId,
    policy: changePolicy(DEFAULT_POLICY, policy),
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  const sealedConfig = deps.vault.seal(configJson, vaultContext(channel.id));
  await deps.database.transaction({ organizationId }, async (tx) => {
    recordRequests(tx, organizationId, [{ idempotencyId, resourceIds: [channel.id] }], now);
    await askToConfirm(deps, tx, { organizationId, type, configJson });
    await insertChannel(tx, channel, sealedConfig);
    await appendEvents(tx, [channelCreated(channel)], now);
    await requireWithinLimit(tx, organizationId, CHANNEL_ROWS, input.limit);
  });
  return channel;
}
