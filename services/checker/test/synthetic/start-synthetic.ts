import { createServer, type RequestListener } from 'node:http';
import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { listen } from '@tocsin/runtime';
import { afterAll } from 'vitest';
import { runCheck } from '../../src/app/run-check.ts';
import type { Observation } from '../../src/domain/observation.ts';
import { type SyntheticOptions, syntheticProbe } from '../../src/probes/synthetic/synthetic-probe.ts';
import { trustingGuard } from '../trusting-guard.ts';

const JOB = { monitorId: 'm', organizationId: 'o', configVersion: 1 };

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

export const SECRET = 'Canary-0f8fad5b';

/** Runs complete checks of scripts in a real Chromium, which is unpacked first if the machine has none. */
export async function startSynthetic(options: Partial<SyntheticOptions> = {}) {
  const warnings: string[] = [];
  const probe = syntheticProbe({
    chromium: await installChromium(process.env),
    chromiumSandbox: 'auto',
    allowPrivateTargets: '127.0.0.1/32',
    closedPorts: new Set<number>(),
    memoryMb: 1_024,
    warn: (words) => void warnings.push(words),
    ...options,
  });

  async function run(script: string, timeoutMs = 20_000): Promise<Observation> {
    const secrets = new Map([['PASSWORD', SECRET]]);
    const configJson = JSON.stringify({ script });
    const monitor = { monitorId: 'm', version: 1, checkType: 'synthetic' as const, timeoutMs, configJson, secrets };
    const now = new Date();
    const deps = {
      configs: { get: async () => monitor },
      probes: { synthetic: probe },
      connectivity: trustingGuard,
      now: () => now,
    };
    const seen = await runCheck(deps, { ...JOB, roundAt: now, startBefore: now });
    if (seen.kind !== 'seen') throw new Error(`the check was ${seen.kind}`);
    return seen.observation;
  }
  return { run, warnings };
}

/** Serves a page on 127.0.0.1, an address that the checks of these tests may reach. */
export async function serve(listener: RequestListener): Promise<{ url: string; port: number; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, port, requests };
}

export function page(body: string): RequestListener {
  return (_request, response) => response.setHeader('content-type', 'text/html').end(body);
}
