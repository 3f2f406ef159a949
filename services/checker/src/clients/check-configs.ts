import type { Transport } from '@connectrpc/connect';
import { checkTypes } from '@tocsin/enums';
import { type CheckConfig as CheckConfigMessage, CheckConfigService } from '@tocsin/proto/monitor/v1/checks';
import { createRpcClient } from '@tocsin/runtime';
import { LRUCache } from 'lru-cache';
import type { CheckConfig, CheckConfigs } from '../app/ports.ts';

/** Maximum memory for cached configurations, in bytes. A typical configuration has less than 1 KB. */
const CACHED_BYTES = 64 * 1024 ** 2;
/** Estimated size of a cache entry without its strings. */
const ENTRY_BYTES = 500;
const GATHER_MS = 5;
/**
 * Maximum number of configurations per call, which bounds the response: each has at most 128 KB of config and 64 KB of
 * secrets.
 */
const MOST_PER_CALL = 50;

type Pending = Map<string, PromiseWithResolvers<CheckConfig | undefined>>;

/** Reads configurations from the monitor service in batches and caches them until a job names a later version. */
export function remoteCheckConfigs(transport: Transport): CheckConfigs {
  const monitor = createRpcClient(CheckConfigService, transport);
  const cache = new LRUCache<string, CheckConfig>({ maxSize: CACHED_BYTES, sizeCalculation: sizeOf });
  let gathering: Pending = new Map();

  async function load(batch: Pending): Promise<void> {
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

  function flush(): void {
    const batch = gathering;
    gathering = new Map();
    if (batch.size > 0) void load(batch);
  }

  return {
    async get(monitorId, version) {
      const known = cache.get(monitorId);
      if (known && known.version >= version) return known;
      let pending = gathering.get(monitorId);
      if (!pending) {
        if (gathering.size === 0) setTimeout(flush, GATHER_MS);
        pending = Promise.withResolvers();
        gathering.set(monitorId, pending);
        if (gathering.size >= MOST_PER_CALL) flush();
      }
      return pending.promise;
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
