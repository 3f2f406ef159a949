import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { checkTypes } from '@tocsin/enums';
import { invalid } from '@tocsin/errors';
import type { CheckConfigService } from '@tocsin/proto/monitor/v1/checks';
import { getCheckConfigs } from '../app/monitors/get-check-configs.ts';
import type { Deps } from '../app/ports.ts';
import { saveScreenshot } from '../app/rounds/save-screenshot.ts';

export function checkConfigRpc(deps: Deps): ServiceImpl<typeof CheckConfigService> {
  return {
    async getCheckConfigs({ monitorIds }) {
      const configs = await getCheckConfigs(deps, monitorIds);
      return {
        configs: configs.map(({ monitor, secrets }) => ({
          monitorId: monitor.id,
          version: BigInt(monitor.version),
          organizationId: monitor.organizationId,
          checkType: checkTypes.toValue(monitor.checkType),
          timeoutMs: monitor.timeoutMs,
          configJson: monitor.configJson,
          secrets: [...secrets].map(([name, value]) => ({ name, value })),
        })),
      };
    },
    async keepScreenshot({ monitorId, roundAt, region, image }) {
      if (!roundAt) throw invalid({ round_at: ['is needed'] });
      await saveScreenshot(deps, { monitorId, roundAt: timestampDate(roundAt), region, image });
      return {};
    },
  };
}
