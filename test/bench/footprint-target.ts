import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Message to the target process, which replies to each request with one message. */
export type TargetRequest =
  | { readonly do: 'listen' }
  /** Makes the targets with these numbers respond with status 500, and removes earlier alerts from the report. */
  | { readonly do: 'fail'; readonly targets: readonly number[] }
  /** Returns what was received since the last report. */
  | { readonly do: 'report' };

export interface TargetReport {
  /** Times at which each target was checked, in milliseconds. */
  readonly checks: Readonly<Record<string, readonly number[]>>;
  /**
   * Milliseconds from the first failing response of each target to its first webhook, for targets of the last `fail`.
   */
  readonly alerts: readonly number[];
}

let checks: Record<string, number[]> = {};
const failing = new Set<string>();
const failedAt = new Map<string, number>();
const alertedAt = new Map<string, number>();

/** Runs the checked targets and the webhook receiver in a separate process, so that one clock measures both. */
const server = createServer((request, response) => {
  const [, kind, number = ''] = request.url?.split('/') ?? [];
  if (kind === 'hook') {
    if (!alertedAt.has(number)) alertedAt.set(number, performance.now());
    request.resume();
    response.end();
    return;
  }
  checks[number] ??= [];
  checks[number].push(performance.now());
  if (failing.has(number)) {
    response.statusCode = 500;
    if (!failedAt.has(number)) failedAt.set(number, performance.now());
  }
  response.end('fine');
});

process.on('message', (request: TargetRequest) => {
  switch (request.do) {
    case 'listen':
      server.listen(0, '127.0.0.1', 4_096, () => process.send?.((server.address() as AddressInfo).port));
      return;
    case 'fail':
      alertedAt.clear();
      for (const target of request.targets) failing.add(String(target));
      process.send?.('failing');
      return;
    case 'report': {
      const alerts = [...alertedAt].map(([number, at]) => at - (failedAt.get(number) ?? Number.NaN));
      const report: TargetReport = { checks, alerts };
      checks = {};
      process.send?.(report);
    }
  }
});
process.once('disconnect', () => process.exit());
