import type { DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '@tocsin/proto/grpc/health/v1/health';
import { pause } from './backoff.ts';
import type { Readiness } from './readiness.ts';

const WATCH_INTERVAL_MS = 1_000;

/** Adds the gRPC health checking protocol, which reports the service's readiness. */
export function addHealth(router: ConnectRouter, services: readonly DescService[], readiness: Readiness): void {
  const known = new Set(['', ...services.map((service) => service.typeName)]);

  async function statusOf(service: string): Promise<ServingStatus> {
    if (!known.has(service)) return ServingStatus.SERVICE_UNKNOWN;
    return (await readiness.report()).ready ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  router.service(Health, {
    async check({ service }) {
      const status = await statusOf(service);
      if (status === ServingStatus.SERVICE_UNKNOWN) throw new ConnectError(`no service ${service} here`, Code.NotFound);
      return { status };
    },
    async *watch({ service }, { signal }) {
      let lastSent: ServingStatus | undefined;
      while (!signal.aborted) {
        const status = await statusOf(service);
        if (status !== lastSent) yield { status };
        lastSent = status;
        await pause(WATCH_INTERVAL_MS, signal);
      }
    },
  });
}
