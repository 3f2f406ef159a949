import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import {
  CertificateExpiringSchema,
  MonitorCreatedSchema,
  MonitorDeletedSchema,
  MonitorStateChangedSchema,
  MonitorUpdatedSchema,
} from '@tocsin/proto/monitor/v1/events';
import type { ExpiryNotice } from '../domain/certificate.ts';
import type { Standing } from '../domain/evaluate.ts';
import type { Monitor } from '../domain/monitor.ts';
import { certificateToProto, monitorToProto, stateToProto } from '../rpc/convert.ts';

function about(monitor: Monitor) {
  return { organizationId: monitor.organizationId, aggregateId: monitor.id };
}

export function monitorCreated(monitor: Monitor): OutgoingEvent {
  return outgoingEvent(MonitorCreatedSchema, { monitor: monitorToProto(monitor, undefined) }, about(monitor));
}

export function monitorUpdated(monitor: Monitor, standing?: Standing): OutgoingEvent {
  return outgoingEvent(MonitorUpdatedSchema, { monitor: monitorToProto(monitor, standing) }, about(monitor));
}

export function monitorDeleted(monitor: Monitor, standing?: Standing): OutgoingEvent {
  return outgoingEvent(MonitorDeletedSchema, { monitor: monitorToProto(monitor, standing) }, about(monitor));
}

export function stateChanged(
  monitor: Monitor,
  standing: Standing,
  words: { error: string; explanation: string },
): OutgoingEvent {
  const { state, enteredAt, previousState, previousEnteredAt } = standing;
  return outgoingEvent(
    MonitorStateChangedSchema,
    {
      monitor: monitorToProto(monitor, standing),
      state: stateToProto(state),
      enteredAt: timestampFromDate(enteredAt),
      ...(previousState && { previousState: stateToProto(previousState) }),
      ...(previousEnteredAt && { previousEnteredAt: timestampFromDate(previousEnteredAt) }),
      error: words.error,
      explanation: words.explanation,
    },
    about(monitor),
  );
}

export function certificateExpiring(monitor: Monitor, notice: ExpiryNotice): OutgoingEvent {
  const { certificate, thresholdDays, daysRemaining } = notice;
  return outgoingEvent(
    CertificateExpiringSchema,
    {
      monitor: monitorToProto(monitor, undefined),
      certificate: certificateToProto(certificate),
      ...{ thresholdDays, daysRemaining },
    },
    about(monitor),
  );
}
