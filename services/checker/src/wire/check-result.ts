import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
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

/** Encodes one result, or a batch of results, as a message for the result stream. */
export function encodeResults(results: readonly SeenCheck[]): Uint8Array {
  const batch = results.map(toProto);
  return toBinary(CheckResultSchema, create(CheckResultSchema, batch.length === 1 ? batch[0] : { batch }));
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
