import { timestampMs } from '@bufbuild/protobuf/wkt';
import { toMicroseconds, toSeconds, toSecondsOrNull } from '@tocsin/api-json';
import { checkOutcomes, monitorStates, transitionRules } from '@tocsin/enums';
import type {
  GetCertificateResponse,
  GetResponseTimesResponse,
  GetUptimeResponse,
  Run,
  Transition,
} from '@tocsin/proto/monitor/v1/history';
import { CheckOutcome } from '@tocsin/proto/monitor/v1/monitor';
import { type Static, Type } from 'typebox';
import { Id, nullable, oneOf, pageQuery, shortText, Timestamp } from './common.ts';
import { CheckSchema, MAX_REGIONS, Region, toCheckJson } from './monitor.ts';
import { required } from './required.ts';

const RANGES = { '1h': 1, '6h': 6, '24h': 24, '7d': 168, '30d': 720, '90d': 2_160 } as const;
type Range = keyof typeof RANGES;

export const RangeQuery = Type.Object({
  range: Type.Optional(
    oneOf(Object.keys(RANGES) as Range[], { default: '24h', description: 'How far back from now; absent: 24h' }),
  ),
});

export function rangeHours({ range = '24h' }: Static<typeof RangeQuery>): number {
  return RANGES[range];
}

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const UptimeSchema = Type.Object({
  uptime_pct: nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      examples: [99.95],
      description: 'Percent of checks that passed, the mean over regions, two decimals; null without data',
    }),
  ),
  distribution: Type.Object({
    pass: count('Checks that passed, in all regions'),
    fail: count('Checks whose target did not meet the expectations'),
    error: count('Checks that got no connection'),
    timeout: count('Checks that took too long'),
    total: count('All of these'),
  }),
});

export function toUptimeJson(uptime: GetUptimeResponse): Static<typeof UptimeSchema> {
  const { uptimePct, pass, fail, error, timeout, total } = uptime;
  return { uptime_pct: uptimePct ?? null, distribution: { pass, fail, error, timeout, total } };
}

const p95 = { minimum: 0, examples: [182.4] };

export const ResponseTimesSchema = Type.Object({
  p95: nullable(
    Type.Number({
      ...p95,
      description: '95th percentile in milliseconds, the mean over regions, one decimal; null without data',
    }),
  ),
  by_location: Type.Array(
    Type.Object({
      location: Type.String({ maxLength: 63, description: 'Region label', examples: ['us-east'] }),
      p95: Type.Number({ ...p95, description: '95th percentile in milliseconds, within 2 % of the exact one' }),
      checks: count('How many checks it was made from: those that passed'),
    }),
    { maxItems: MAX_REGIONS, description: 'Slowest first' },
  ),
});

export function toResponseTimesJson(times: GetResponseTimesResponse): Static<typeof ResponseTimesSchema> {
  const byLocation = times.regions.map(({ region, p95, checks }) => ({ location: region, p95, checks }));
  return { p95: times.p95 ?? null, by_location: byLocation };
}

export const CertificateSchema = Type.Object({
  cert_expiry: Timestamp,
  cert_valid: Type.Boolean({ description: 'Whether clients trust it now for the checked host' }),
  cert_issuer: Type.String({ maxLength: 2_000, examples: ["Let's Encrypt"] }),
  cert_subject: Type.String({ maxLength: 2_000, examples: ['example.com'] }),
  days_remaining: Type.Integer({ description: 'Whole days until it expires; negative once it has' }),
});

export function toCertificateJson(response: GetCertificateResponse): Static<typeof CertificateSchema> {
  const { notAfter, valid, issuer, subject } = required(response.certificate);
  return {
    cert_expiry: toSeconds(notAfter),
    cert_valid: valid,
    cert_issuer: issuer,
    cert_subject: subject,
    days_remaining: response.daysRemaining,
  };
}

export const TransitionQuery = Type.Object(pageQuery);

export const TransitionSchema = Type.Object({
  id: Id,
  state: oneOf(monitorStates.names),
  previous_state: nullable(Type.String({ enum: [...monitorStates.names, null] })),
  entered_at: Type.String({ format: 'date-time', maxLength: 27, description: 'UTC, microseconds' }),
  error: nullable(shortText({ description: 'What went wrong, for a person' })),
  explanation: Type.String({
    maxLength: 4_000,
    examples: ['3 of 3 regions failed for 1 min: status 502, expected 200'],
  }),
  rule: oneOf(transitionRules.names, { description: 'Which rule fired' }),
  rounds: count('Rounds in a row that said the same when it fired; 0 when no round did it'),
  since: nullable(Type.String({ format: 'date-time', maxLength: 27, description: 'Time of the first of them' })),
  votes: Type.Array(
    Type.Object({
      region: Region,
      outcome: oneOf(checkOutcomes.names),
      error: nullable(shortText({ description: 'What went wrong, for a person' })),
    }),
    { maxItems: MAX_REGIONS, description: 'Vote of each region in the last of them' },
  ),
});

export function toTransitionJson(transition: Transition): Static<typeof TransitionSchema> {
  const { id, state, previousState, enteredAt, error, explanation, rule, rounds, since, votes } = transition;
  return {
    id,
    state: monitorStates.toName(state),
    previous_state: previousState ? monitorStates.toName(previousState) : null,
    entered_at: toMicroseconds(required(enteredAt)),
    error: error || null,
    explanation,
    rule: transitionRules.toName(rule),
    rounds,
    since: toSecondsOrNull(since),
    votes: votes.map((vote) => ({
      region: vote.region,
      outcome: checkOutcomes.toName(vote.outcome),
      error: vote.error || null,
    })),
  };
}

const RUNS = { minimum: 1, maximum: 200, default: 50, description: 'At most this many rounds; absent: 50' };

export const RunParams = Type.Object({
  id: Type.String({ maxLength: 100, description: 'UUID' }),
  run_id: Type.String({ maxLength: 100, description: 'Id of a run of this monitor', examples: ['mi7g1q80'] }),
});

export const ScreenshotQuery = Type.Object({
  region: Type.Optional(
    Type.String({
      maxLength: 32,
      pattern: '^[a-z0-9][a-z0-9-]{0,31}$',
      'x-pattern-message': 'must be a region label such as us-east',
      description: 'Region label; absent: the first by name that has a picture',
    }),
  ),
});

export const ScreenshotSchema = Type.Unsafe<Buffer>({ description: 'JPEG, at most 512 KiB' });

export const RunQuery = Type.Object({ ...pageQuery, limit: Type.Optional(Type.Integer(RUNS)) });

const RunResultSchema = Type.Object({
  ...CheckSchema.properties,
  lag_ms: nullable(
    Type.Integer({
      minimum: 0,
      description: 'From the time of the round to the begin of the check; null when it was not checked',
    }),
  ),
});

export const RunSchema = Type.Object({
  id: Type.String({ maxLength: 100, description: 'Names the run among those of its monitor', examples: ['mi7g1q80'] }),
  round_at: Timestamp,
  results: Type.Array(RunResultSchema, {
    maxItems: MAX_REGIONS,
    description: 'By region; a region that should have reported and did not has the outcome `unknown`',
  }),
});

/** Maps a run to JSON. `url` is the public URL of the run. */
export function toRunJson({ id, roundAt, results }: Run, url: string): Static<typeof RunSchema> {
  const at = (moment: Run['roundAt']) => timestampMs(required(moment));
  const shown = results.map((result) => ({
    ...toCheckJson(result, `${url}/screenshot?region=${encodeURIComponent(result.region)}`),
    lag_ms: result.outcome === CheckOutcome.UNKNOWN ? null : Math.max(0, at(result.checkedAt) - at(roundAt)),
  }));
  return { id, round_at: toSeconds(roundAt), results: shown };
}

export function runPage({ limit, cursor }: Static<typeof RunQuery>) {
  return { limit: limit ?? RUNS.default, cursor };
}
