import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { checkOutcomes } from '@tocsin/enums';
import { CheckResultSchema } from '@tocsin/proto/monitor/v1/checks';
import type { Certificate } from '../domain/certificate.ts';
import type { Observation } from '../domain/observation.ts';
import type { ScriptRun } from '../domain/script-run.ts';

/** The observation of one check, with its monitor, region and round. */
export interface SeenCheck {
  readonly monitorId: string;
  readonly region: string;
  readonly roundAt: Date;
  readonly checkedAt: Date;
  readonly observation: Observation;
}

/** Encodes a result as a message of the result stream. */
export function encodeResult({ monitorId, region, roundAt, checkedAt, observation }: SeenCheck): Uint8Array {
  const { outcome, error, statusCode = 0, phases, certificate, run: script } = observation;
  const result = {
    region,
    outcome: checkOutcomes.toValue(outcome),
    error,
    statusCode,
    phases,
    ...(certificate && { certificate: certificateToProto(certificate) }),
    ...(script && { script: scriptToProto(script) }),
    checkedAt: timestampFromDate(checkedAt),
  };
  const message = create(CheckResultSchema, { monitorId, roundAt: timestampFromDate(roundAt), result });
  return toBinary(CheckResultSchema, message);
}

function certificateToProto({ notBefore, notAfter, ...rest }: Certificate) {
  return { ...rest, notBefore: timestampFromDate(notBefore), notAfter: timestampFromDate(notAfter) };
}

function scriptToProto({ steps, log, location }: ScriptRun) {
  return { steps: [...steps], log: [...log], ...location };
}
