import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { checkOutcomes } from '@tocsin/enums';
import type { CheckResult as CheckResultMessage } from '@tocsin/proto/monitor/v1/checks';
import type {
  Certificate as CertificateMessage,
  CertificateSchema,
  RegionResultSchema,
  ScriptRun as ScriptRunMessage,
  ScriptRunSchema,
} from '@tocsin/proto/monitor/v1/monitor';
import { cutErrorText } from '@tocsin/text';
import type { Certificate } from '../domain/certificates/certificate.ts';
import type { CheckResult } from '../domain/rounds/check-result.ts';
import type { ScriptRun } from '../domain/rounds/script-run.ts';

export function resultToProto(result: CheckResult): MessageInitShape<typeof RegionResultSchema> {
  const { dns, connect, tls, firstByte, total } = result.phases;
  return {
    region: result.region,
    outcome: checkOutcomes.toValue(result.outcome),
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

/**
 * Returns the results of a message, which contains one result or a batch. A result that resultFromProto() can't read is
 * undefined.
 */
export function resultsFromProto(message: CheckResultMessage): (CheckResult | undefined)[] {
  return message.batch.length > 0 ? message.batch.map(resultFromProto) : [resultFromProto(message)];
}

/** Returns a check result; undefined if the message lacks its monitor, round, region or outcome. */
export function resultFromProto(message: CheckResultMessage): CheckResult | undefined {
  const { monitorId, roundAt, result, finishedAt } = message;
  const outcome = result && checkOutcomes.findName(result.outcome);
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
    finishedAt: finishedAt && timestampDate(finishedAt),
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
    // The stored screenshots determine this value, not the checker's message.
    hasScreenshot: false,
  };
}

/** Maximum number of steps, and of log lines, that are stored for a script run. Checkers send fewer. */
const MAX_SCRIPT_ENTRIES = 201;

/**
 * Returns a string from a checker in a form that can be stored. Its size is limited, because it contains text from
 * targets and scripts. NUL is replaced, because PostgreSQL would reject the whole batch of results.
 */
function textFrom(text: string): string {
  return cutErrorText(text).replaceAll('\0', '\u{fffd}');
}

/**
 * Returns a certificate; undefined if the message lacks its fingerprint or expiry, or has a date that can't be stored.
 */
function certificateFromProto(message: CertificateMessage): Certificate | undefined {
  const { fingerprint, issuer, subject, notBefore, notAfter, valid, problem } = message;
  if (!fingerprint || !notAfter) return undefined;
  if (![notAfter, ...(notBefore ? [notBefore] : [])].map(timestampDate).every(isStorableDate)) return undefined;
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

/** Whether the year of a date has one to four digits. */
function isStorableDate(date: Date): boolean {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

export function certificateToProto(certificate: Certificate): MessageInitShape<typeof CertificateSchema> {
  const { fingerprint, issuer, subject, notBefore, notAfter, valid, problem } = certificate;
  return {
    fingerprint,
    issuer,
    subject,
    valid,
    problem,
    ...(notBefore && { notBefore: timestampFromDate(notBefore) }),
    notAfter: timestampFromDate(notAfter),
  };
}
