import type { Probe } from '../../app/ports.ts';
import type { Observation } from '../../domain/observation.ts';
import { findDeno } from './find-programs.ts';
import { leastUser } from './least-user.ts';
import { RUN_PROGRAM, type RunReport, runInProcess } from './run-process.ts';

export interface SyntheticOptions {
  /** Path to Chromium. If undefined, every check reports that Chromium is missing. */
  readonly chromium: string | undefined;
  /** Sandbox mode of Chromium: required, used if possible, or off. */
  readonly chromiumSandbox: 'required' | 'auto' | 'off';
  /** Value of TOCSIN_ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivateTargets: string;
  readonly closedPorts: ReadonlySet<number>;
  /** Name servers that resolve the host names to which pages connect. Defaults to the machine's own name servers. */
  readonly nameServers?: readonly string[] | undefined;
  /** Total memory limit for all processes of one check, in MiB. */
  readonly memoryMb: number;
  readonly warn: (words: string) => void;
}

const NO_CHROMIUM =
  'this checker has no Chromium: install it ("npm run chromium", or your system\'s package), or name one with TOCSIN_CHROMIUM';
const NO_SANDBOX =
  "Chromium can't use its sandbox here: run the checker as an ordinary user on a system with user namespaces, or set TOCSIN_CHROMIUM_SANDBOX=off";

/**
 * Returns the probe for synthetic checks, which run a tenant's script in a browser. Starts nothing before the first
 * check.
 */
export function syntheticProbe(options: SyntheticOptions, deps = { runInProcess, leastUser }): Probe {
  let setting: ReturnType<typeof settle> | undefined;
  let hasSandbox = options.chromiumSandbox !== 'off';
  let hasSandboxWorked = false;

  function settle(chromium: string) {
    const deno = findDeno();
    const user = deps.leastUser([RUN_PROGRAM, process.execPath, deno, chromium]);
    if (process.getuid?.() === 0 && !user) {
      hasSandbox = false;
      options.warn(
        'user "nobody" has no access to the programs of synthetic checks, so they run as root: run the checker as another user',
      );
    }
    return { chromium, deno, user };
  }

  return async (configJson, timeoutMs, secrets) => {
    if (!options.chromium) return unknown(NO_CHROMIUM);
    const { script }: { script: string } = JSON.parse(configJson);
    setting ??= settle(options.chromium);
    const { user, ...programs } = setting;
    const { allowPrivateTargets, nameServers, memoryMb } = options;
    const closedPorts = [...options.closedPorts];
    for (;;) {
      if (options.chromiumSandbox === 'required' && !hasSandbox) return unknown(NO_SANDBOX);
      const chromiumSandbox = hasSandbox;
      const order = {
        ...programs,
        script,
        secrets: Object.fromEntries(secrets),
        timeoutMs,
        allowPrivateTargets,
        closedPorts,
        nameServers,
        chromiumSandbox,
      };
      const report = await deps.runInProcess({ order, user, memoryMb });
      hasSandboxWorked ||= chromiumSandbox && report.hasStarted;
      // The error of a run can be the script's own text, so that it decides nothing. If the sandbox has worked before,
      // the failure is temporary, and later checks use the sandbox again.
      if (!chromiumSandbox || report.hasStarted || !report.end.noSandbox || hasSandboxWorked) return observe(report);
      hasSandbox = false;
      options.warn("Chromium can't use its sandbox here, so that it runs without: see TOCSIN_CHROMIUM_SANDBOX");
    }
  };
}

function observe({ end, steps, log }: RunReport): Observation {
  const { outcome, error, ms, at, screenshot } = end;
  const run = {
    steps,
    log,
    ...(at && { location: at }),
    ...(screenshot && { screenshot: Buffer.from(screenshot, 'base64') }),
  };
  return { outcome, error: at ? `${error} (line ${at.line}, column ${at.column})` : error, phases: { total: ms }, run };
}

function unknown(error: string): Observation {
  return { outcome: 'unknown', error, phases: {} };
}
