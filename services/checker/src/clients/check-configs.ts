import type { Transport } from '@connectrpc/connect';
import { checkTypes } from '@tocsin/enums';
import { CheckConfigService } from '@tocsin/proto/monitor/v1/checks';
import { createRpcClient } from '@tocsin/runtime';
import type { CheckConfig, CheckConfigs } from '../app/ports.ts';

const REMEMBERED = 200_000;
const GATHER_MS = 5;
const MOST_PER_CALL = 1_000;

type Answer = CheckConfig | undefined;

/** Configurations, asked of the monitor service in batches and kept until a job names a later version. */
export function remoteCheckConfigs(transport: Transport): CheckConfigs {
  const monitor = createRpcClient(CheckConfigService, transport);
  const remembered = new Map<string, CheckConfig>();
  let wanted = new Map<string, PromiseWithResolvers<Answer>>();

  async function ask(batch: Map<string, PromiseWithResolvers<Answer>>): Promise<void> {
    try {
      const { configs } = await monitor.getCheckConfigs({ monitorIds: [...batch.keys()] });
      for (const { monitorId, version, checkType, timeoutMs, configJson, secrets: sent } of configs) {
        const type = checkTypes.findName(checkType);
        if (!type) continue;
        const secrets = new Map(sent.map(({ name, value }) => [name, value]));
        const config = { monitorId, version: Number(version), checkType: type, timeoutMs, configJson, secrets };
        if (remembered.size >= REMEMBERED) remembered.clear();
        remembered.set(monitorId, config);
        batch.get(monitorId)?.resolve(config);
      }
      for (const answer of batch.values()) answer.resolve(undefined);
    } catch (error) {
      for (const answer of batch.values()) answer.reject(error);
    }
  }

  function flush(): void {
    const batch = wanted;
    wanted = new Map();
    if (batch.size > 0) void ask(batch);
  }

  return {
    async get(monitorId, version) {
      const known = remembered.get(monitorId);
      if (known && known.version >= version) return known;
      let answer = wanted.get(monitorId);
      if (!answer) {
        if (wanted.size === 0) setTimeout(flush, GATHER_MS);
        answer = Promise.withResolvers<Answer>();
        wanted.set(monitorId, answer);
        if (wanted.size >= MOST_PER_CALL) flush();
      }
      return answer.promise;
    },
  };
}
