import type { Transport } from '@connectrpc/connect';
import { checkTypes } from '@tocsin/enums';
import { type CheckConfig as CheckConfigMessage, CheckConfigService } from '@tocsin/proto/monitor/v1/checks';
import { createRpcClient, FairQueue } from '@tocsin/runtime';
import { LRUCache } from 'lru-cache';
import type { CheckConfig, CheckConfigs } from '../app/ports.ts';

/** Maximum memory for cached configurations, in bytes. A typical configuration has less than 1 KB. */
const CACHED_BYTES = 64 * 1024 ** 2;
/** Estimated size of a cache entry without its strings. */
const ENTRY_BYTES = 500;
const GATHER_MS = 5;
/**
 * Maximum number of configurations per call. It limits the size of the response, because a configuration has up to 128
 * KB of config and 64 KB of secrets.
 */
const MOST_PER_CALL = 20;
const MOST_CALLS = 4;

/** Promises of the configurations to request, by monitor id. */
type Waiting = Map<string, PromiseWithResolvers<CheckConfig | undefined>>;

/**
 * Reads configurations from the monitor service in batches and caches them until a job names a later version.
 * Organizations are served in turn, so the large configurations of one organization do not delay the checks of others.
 */
export function remoteCheckConfigs(transport: Transport): CheckConfigs {
  const monitor = createRpcClient(CheckConfigService, transport);
  const cache = new LRUCache<string, CheckConfig>({ maxSize: CACHED_BYTES, sizeCalculation: sizeOf });
  const queue = new FairQueue<string>();
  const waiting: Waiting = new Map();
  let gathering: NodeJS.Timeout | undefined;
  let calls = 0;

  async function load(batch: Waiting): Promise<void> {
    try {
      const { configs } = await monitor.getCheckConfigs({ monitorIds: [...batch.keys()] });
      const found = new Map(configs.map((message) => [message.monitorId, message]));
      for (const [monitorId, { resolve, reject }] of batch) {
        try {
          resolve(remember(monitorId, found.get(monitorId)));
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    }
  }

  /** Caches a configuration and returns it; undefined if the monitor was deleted. */
  function remember(monitorId: string, message: CheckConfigMessage | undefined): CheckConfig | undefined {
    const config = message && configFromProto(message);
    if (config) cache.set(monitorId, config);
    else cache.delete(monitorId);
    return config;
  }

  function startCalls(): void {
    clearTimeout(gathering);
    gathering = undefined;
    while (queue.size > 0 && calls < MOST_CALLS) {
      calls += 1;
      void load(nextBatch()).finally(() => {
        calls -= 1;
        startCalls();
      });
    }
  }

  function nextBatch(): Waiting {
    const batch: Waiting = new Map();
    for (let next = queue.take(); next; next = batch.size < MOST_PER_CALL ? queue.take() : undefined) {
      const promise = waiting.get(next.item);
      waiting.delete(next.item);
      if (promise) batch.set(next.item, promise);
    }
    return batch;
  }

  return {
    async get(monitorId, version, organizationId) {
      const known = cache.get(monitorId);
      if (known && known.version >= version) return known;
      let promise = waiting.get(monitorId);
      if (!promise) {
        promise = Promise.withResolvers();
        waiting.set(monitorId, promise);
        queue.add(organizationId, monitorId);
        if (queue.size >= MOST_PER_CALL) startCalls();
        else gathering ??= setTimeout(startCalls, GATHER_MS);
      }
      return promise.promise;
    },
  };
}

/**
 * Converts a configuration.
 * @throws Error for an unknown check type, which only a newer checker can run.
 */
function configFromProto(message: CheckConfigMessage): CheckConfig {
  const { monitorId, version, timeoutMs, configJson } = message;
  const checkType = checkTypes.findName(message.checkType);
  if (!checkType) throw new Error(`monitor ${monitorId} has the unknown check type ${message.checkType}`);
  const secrets = new Map(message.secrets.map(({ name, value }) => [name, value]));
  return { monitorId, version: Number(version), checkType, timeoutMs, configJson, secrets };
}

/**
 * Returns the estimated size of a cache entry: two bytes per character, because the engine may store strings that way.
 */
function sizeOf({ configJson, secrets }: CheckConfig): number {
  const texts = [configJson, ...secrets.keys(), ...secrets.values()];
  return ENTRY_BYTES + 2 * texts.reduce((sum, text) => sum + text.length, 0);
}
