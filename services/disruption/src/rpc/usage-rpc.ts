import type { ServiceImpl } from '@connectrpc/connect';
import type { UsageService } from '@tocsin/proto/usage/v1/usage';
import { organizationOf } from '@tocsin/runtime';
import { countUsage } from '../app/count-usage.ts';
import type { Deps } from '../app/ports.ts';

export function usageRpc(deps: Deps): ServiceImpl<typeof UsageService> {
  return {
    async getUsage(_, context) {
      const used = await countUsage(deps, organizationOf(context));
      return { used: Object.fromEntries(Object.entries(used).map(([name, count]) => [name, BigInt(count)])) };
    },
  };
}
