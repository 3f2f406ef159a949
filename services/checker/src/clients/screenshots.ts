import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Transport } from '@connectrpc/connect';
import { CheckConfigService } from '@tocsin/proto/monitor/v1/checks';
import { createRpcClient } from '@tocsin/runtime';
import type { Screenshots } from '../app/ports.ts';

/** Saves screenshots in the monitor service. They are sent separately, because they are too large for a result. */
export function remoteScreenshots(transport: Transport, region: string): Screenshots {
  const monitor = createRpcClient(CheckConfigService, transport);
  return {
    async keep({ monitorId, roundAt, image }) {
      await monitor.keepScreenshot({ monitorId, roundAt: timestampFromDate(roundAt), region, image });
    },
  };
}
