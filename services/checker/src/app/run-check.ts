import { MAX_ERROR_LENGTH } from '@tocsin/text';
import { discountLag } from '../domain/connectivity-guard.ts';
import { createMask } from '../domain/mask-secrets.ts';
import { type Observation, rounded } from '../domain/observation.ts';
import type { Deps, Job } from './ports.ts';

export type CheckRun =
  | {
      readonly kind: 'seen';
      readonly observation: Observation;
      /** Time at which the check began. */
      readonly checkedAt: Date;
      /** Time at which the check ended. */
      readonly finishedAt: Date;
    }
  /** The check could not start in time, so what it sees would come too late for its round. */
  | { readonly kind: 'late' }
  /** The check's monitor was deleted. */
  | { readonly kind: 'gone' };

/**
 * Requests the configuration of a job whose round has not started. The configurations of jobs that arrive together are
 * requested in one call, whereas their rounds start one after the other. If the request fails, runCheck() repeats it.
 */
export function prepareCheck({ configs }: Pick<Deps, 'configs'>, job: Job): void {
  configs.get(job.monitorId, job.configVersion, job.organizationId).catch(() => undefined);
}

/**
 * Runs one check of one round.
 * @throws Error only when the configuration can't be read.
 */
export async function runCheck(deps: Deps, job: Job): Promise<CheckRun> {
  if (deps.now() > job.startBefore) return { kind: 'late' };
  const config = await deps.configs.get(job.monitorId, job.configVersion, job.organizationId);
  if (!config) return { kind: 'gone' };
  const probe = deps.probes[config.checkType];
  const checkedAt = deps.now();
  if (checkedAt > job.startBefore) return { kind: 'late' };
  using lag = deps.connectivity.measureLag();
  const began = performance.now();
  const seen: Observation = probe
    ? await probe(config.configJson, config.timeoutMs, config.secrets)
    : { outcome: 'unknown', error: `this checker can't run ${config.checkType} checks`, phases: {} };
  const stalledMs = seen.outcome === 'pass' ? 0 : lag.blockedMs();
  const observation = await deps.connectivity.confirm(job.monitorId, discountLag(seen, stalledMs, config.timeoutMs));
  const error = createMask(config.secrets)(observation.error, MAX_ERROR_LENGTH);
  const finishedAt = new Date(checkedAt.getTime() + performance.now() - began);
  const phases = rounded(observation.phases);
  return { kind: 'seen', observation: { ...observation, error, phases }, checkedAt, finishedAt };
}
