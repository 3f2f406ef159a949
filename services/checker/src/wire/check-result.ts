import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { checkOutcomes } from '@tocsin/enums';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import { cutErrorText } from '@tocsin/text';
import type { Certificate } from '../domain/certificate.ts';
import type { Observation } from '../domain/observation.ts';
import type { ScriptRun } from '../domain/script-run.ts';

/** The observation of one check, with its monitor, region and round. */
export interface SeenCheck {
  readonly monitorId: string;
  readonly region: string;
  readonly roundAt: Date;
  readonly checkedAt: Date;
  readonly finishedAt: Date;
  readonly observation: Observation;
}

/** Encodes a result as a message for the result stream. */
export function encodeResult(check: SeenCheck): Uint8Array {
  return toBinary(CheckResultSchema, create(CheckResultSchema, toProto(check)));
}

/** Joins encoded results into one message for the result stream, without encoding them again. */
export function joinResults(results: readonly Uint8Array[]): Uint8Array {
  const [first, ...others] = results;
  if (first && others.length === 0) return first;
  const writer = new BinaryWriter();
  for (const result of results) {
    writer.tag(CheckResultSchema.field.batch.number, WireType.LengthDelimited).bytes(result);
  }
  return writer.finish();
}

function toProto(check: SeenCheck): MessageInitShape<typeof CheckResultSchema> {
  const { monitorId, region, roundAt, checkedAt, finishedAt, observation } = check;
  const { outcome, error, statusCode = 0, phases, certificate, run: script } = observation;
  const result = {
    region,
    outcome: checkOutcomes.toValue(outcome),
    error: cutErrorText(error),
    statusCode,
    phases,
    ...(certificate && { certificate: certificateToProto(certificate) }),
    ...(script && { script: scriptToProto(script) }),
    checkedAt: timestampFromDate(checkedAt),
  };
  return { monitorId, roundAt: timestampFromDate(roundAt), result, finishedAt: timestampFromDate(finishedAt) };
}

function certificateToProto({ notBefore, notAfter, ...rest }: Certificate) {
  return { ...rest, notBefore: timestampFromDate(notBefore), notAfter: timestampFromDate(notAfter) };
}

function scriptToProto({ steps, log, location }: ScriptRun) {
  return { steps: [...steps], log: [...log], ...location };
}
