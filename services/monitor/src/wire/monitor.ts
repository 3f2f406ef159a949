import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { CheckResult as CheckResultMessage } from '@tocsin/proto/monitor/v1/checks';
import {
  type Certificate as CertificateMessage,
  type CertificateSchema,
  CheckOutcome,
  CheckType as CheckTypeEnum,
  type Monitor as MonitorMessage,
  MonitorSchema,
  MonitorState,
  type RegionResultSchema,
  type ScriptRun as ScriptRunMessage,
  type ScriptRunSchema,
} from '@tocsin/proto/monitor/v1/monitor';
import { cutErrorText } from '@tocsin/text';
import type { Certificate } from '../domain/certificates/certificate.ts';
import { CHECK_TYPES, type CheckType, type Monitor } from '../domain/monitors/monitor.ts';
import type { CheckResult } from '../domain/rounds/check-result.ts';
import type { EvaluatorState, State } from '../domain/rounds/evaluate.ts';
import type { Outcome } from '../domain/rounds/round.ts';
import type { ScriptRun } from '../domain/rounds/script-run.ts';

const CHECK_TYPE: Record<CheckType, CheckTypeEnum> = {
  http: CheckTypeEnum.HTTP,
  tcp: CheckTypeEnum.TCP,
  dns: CheckTypeEnum.DNS,
  heartbeat: CheckTypeEnum.HEARTBEAT,
  synthetic: CheckTypeEnum.SYNTHETIC,
};

const STATE: Record<State, MonitorState> = {
  pending: MonitorState.PENDING,
  up: MonitorState.UP,
  down: MonitorState.DOWN,
  stale: MonitorState.STALE,
};

const OUTCOME: Record<Outcome, CheckOutcome> = {
  pass: CheckOutcome.PASS,
  fail: CheckOutcome.FAIL,
  error: CheckOutcome.ERROR,
  timeout: CheckOutcome.TIMEOUT,
  unknown: CheckOutcome.UNKNOWN,
};

const OUTCOME_OF = new Map(Object.entries(OUTCOME).map(([outcome, value]) => [value, outcome as Outcome]));

/** Undefined for a value that is no type of the contract. */
export function checkTypeFromProto(value: CheckTypeEnum): CheckType | undefined {
  return CHECK_TYPES.find((type) => CHECK_TYPE[type] === value);
}

const STATE_OF = new Map(Object.entries(STATE).map(([state, value]) => [value, state as State]));

/** Undefined for a value that is no state. */
export function stateFromProto(value: MonitorState): State | undefined {
  return STATE_OF.get(value);
}

export function stateToProto(state: State): MonitorState {
  return STATE[state];
}

export function checkTypeToProto(type: CheckType): CheckTypeEnum {
  return CHECK_TYPE[type];
}

export function monitorToProto(monitor: Monitor, evaluatorState: EvaluatorState | undefined): MonitorMessage {
  return create(MonitorSchema, {
    ...monitor,
    checkType: CHECK_TYPE[monitor.checkType],
    state: STATE[evaluatorState?.state ?? 'pending'],
    alertChannelIds: [...monitor.alertChannelIds],
    secretNames: [...monitor.secretNames],
    heartbeatToken: monitor.heartbeatToken ?? '',
    version: BigInt(monitor.version),
    createdAt: timestampFromDate(monitor.createdAt),
    updatedAt: timestampFromDate(monitor.updatedAt),
  });
}

export function outcomeToProto(outcome: Outcome): CheckOutcome {
  return OUTCOME[outcome];
}

export function resultToProto(result: CheckResult): MessageInitShape<typeof RegionResultSchema> {
  const { dns, connect, tls, firstByte, total } = result.phases;
  return {
    region: result.region,
    outcome: OUTCOME[result.outcome],
    error: result.error,
    statusCode: result.statusCode ?? 0,
    phases: {
      ...(dns !== undefined && { dns }),
      ...(connect !== undefined && { connect }),
      ...(tls !== undefined && { tls }),
      ...(firstByte !== undefined && { firstByte }),
      ...(total !== undefined && { total }),
    },
    checkedAt: timestampFromDate(result.checkedAt),
    ...(result.script && { script: scriptToProto(result.script) }),
  };
}

/** Undefined when the message lacks what identifies a result. */
export function resultFromProto(message: CheckResultMessage): CheckResult | undefined {
  const { monitorId, roundAt, result } = message;
  const outcome = result && OUTCOME_OF.get(result.outcome);
  if (!monitorId || !roundAt || !result?.region || !outcome) return undefined;
  return {
    monitorId,
    roundAt: timestampDate(roundAt),
    region: result.region,
    outcome,
    error: textFrom(result.error),
    statusCode: result.statusCode || undefined,
    phases: result.phases ?? {},
    checkedAt: result.checkedAt ? timestampDate(result.checkedAt) : timestampDate(roundAt),
    certificate: result.certificate && certificateFromProto(result.certificate),
    script: result.script && scriptFromProto(result.script),
  };
}

function scriptToProto({ steps, log, location, hasScreenshot }: ScriptRun): MessageInitShape<typeof ScriptRunSchema> {
  return { steps: [...steps], log: [...log], ...location, hasScreenshot };
}

function scriptFromProto({ steps, log, line, column }: ScriptRunMessage): ScriptRun {
  return {
    steps: steps.slice(0, MAX_SCRIPT_ENTRIES).map(({ name, ms, passed }) => ({ name: textFrom(name), ms, passed })),
    log: log.slice(0, MAX_SCRIPT_ENTRIES).map(textFrom),
    location: line > 0 && column > 0 ? { line, column } : undefined,
    // A picture is what we keep ourselves, not what a checker claims.
    hasScreenshot: false,
  };
}

/** Steps of a script run, and lines of its log, that are taken from a checker. Checkers send fewer. */
const MAX_SCRIPT_ENTRIES = 201;

/**
 * Returns a text of a checker as it can be stored: bounded, because targets and scripts decide what is in it, and without
 * NUL, which PostgreSQL refuses together with all other results of the batch.
 */
function textFrom(text: string): string {
  return cutErrorText(text).replaceAll('\0', '\u{fffd}');
}

/** Undefined when the message lacks what identifies a certificate, or when it ends. */
function certificateFromProto(message: CertificateMessage): Certificate | undefined {
  const { fingerprint, issuer, subject, notBefore, notAfter, valid, problem } = message;
  if (!fingerprint || !notAfter) return undefined;
  return {
    fingerprint: textFrom(fingerprint),
    issuer: textFrom(issuer),
    subject: textFrom(subject),
    notBefore: notBefore && timestampDate(notBefore),
    notAfter: timestampDate(notAfter),
    valid,
    problem: textFrom(problem),
  };
}

export function certificateToProto(certificate: Certificate): MessageInitShape<typeof CertificateSchema> {
  const { fingerprint, issuer, subject, notBefore, notAfter, valid, problem } = certificate;
  return {
    ...{ fingerprint, issuer, subject, valid, problem },
    ...(notBefore && { notBefore: timestampFromDate(notBefore) }),
    notAfter: timestampFromDate(notAfter),
  };
}
