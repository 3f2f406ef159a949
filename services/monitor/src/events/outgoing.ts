import { createHash } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { monitorStates } from '@tocsin/enums';
import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import {
  CertificateExpiringSchema,
  CertificateRenewedSchema,
  DisableReason,
  MonitorAlertDueSchema,
  MonitorAutoDisabledSchema,
  MonitorCreatedSchema,
  MonitorDeletedSchema,
  MonitorDisableWarningSchema,
  MonitorStateChangedSchema,
  MonitorUpdatedSchema,
} from '@tocsin/proto/monitor/v1/events';
import type { Monitor as MonitorMessage } from '@tocsin/proto/monitor/v1/monitor';
import { v7 } from 'uuid';
import type { DisableCause } from '../domain/auto-disable/auto-disable.ts';
import type { ExpiryNotice } from '../domain/certificates/certificate.ts';
import { MAX_CONFIG_BYTES } from '../domain/monitors/limits.ts';
import type { Monitor } from '../domain/monitors/monitor.ts';
import type { EvaluatorState } from '../domain/rounds/evaluate.ts';
import { certificateToProto } from '../wire/check-result.ts';
import { monitorToProto } from '../wire/monitor.ts';

/**
 * Returns a monitor in the form that events contain, without its heartbeat token. A stored config may exceed the size
 * limit, because it may be older than the limit. Such a config is replaced with an empty one, to keep the event small
 * enough.
 */
function eventMonitor(monitor: Monitor, state: EvaluatorState | undefined): MonitorMessage {
  const fits = Buffer.byteLength(monitor.configJson) <= MAX_CONFIG_BYTES;
  return { ...monitorToProto(monitor, state), ...(!fits && { configJson: '{}' }) };
}

function about(monitor: Monitor) {
  return { organizationId: monitor.organizationId, aggregateId: monitor.id };
}

export function monitorCreated(monitor: Monitor): OutgoingEvent {
  return outgoingEvent(MonitorCreatedSchema, { monitor: eventMonitor(monitor, undefined) }, about(monitor));
}

/**
 * Returns the event for an update. `before` is the monitor before the update. `cause` is present if the system disabled
 * the monitor with this update.
 */
export function monitorUpdated(
  before: Monitor,
  monitor: Monitor,
  evaluatorState?: EvaluatorState,
  cause?: DisableCause,
): OutgoingEvent {
  const message = {
    monitor: eventMonitor(monitor, evaluatorState),
    wasDisabled: !before.enabled,
    ...(cause && { autoDisabled: causeToProto(cause).reason }),
  };
  return outgoingEvent(MonitorUpdatedSchema, message, about(monitor));
}

export function monitorDeleted(monitor: Monitor, evaluatorState?: EvaluatorState): OutgoingEvent {
  return outgoingEvent(MonitorDeletedSchema, { monitor: eventMonitor(monitor, evaluatorState) }, about(monitor));
}

export function stateChanged(
  monitor: Monitor,
  evaluatorState: EvaluatorState,
  words: { error: string; explanation: string; underMaintenance?: boolean },
): OutgoingEvent {
  const { state, enteredAt, previousState, previousEnteredAt } = evaluatorState;
  return outgoingEvent(
    MonitorStateChangedSchema,
    {
      monitor: eventMonitor(monitor, evaluatorState),
      state: monitorStates.toValue(state),
      enteredAt: timestampFromDate(enteredAt),
      ...(previousState && { previousState: monitorStates.toValue(previousState) }),
      // If the clock was set back during an outage, the outage began later than it ends.
      ...(previousEnteredAt && {
        previousEnteredAt: timestampFromDate(new Date(Math.min(previousEnteredAt.getTime(), enteredAt.getTime()))),
      }),
      error: words.error,
      explanation: words.explanation,
      underMaintenance: words.underMaintenance ?? false,
      outageId: outageOfChange(monitor, evaluatorState),
    },
    about(monitor),
  );
}

export function certificateExpiring(monitor: Monitor, notice: ExpiryNotice): OutgoingEvent {
  const { certificate, thresholdDays, daysRemaining } = notice;
  return outgoingEvent(
    CertificateExpiringSchema,
    {
      monitor: eventMonitor(monitor, undefined),
      certificate: certificateToProto(certificate),
      thresholdDays,
      daysRemaining,
    },
    about(monitor),
  );
}

export function certificateRenewed(monitor: Monitor): OutgoingEvent {
  return outgoingEvent(CertificateRenewedSchema, { monitor: eventMonitor(monitor, undefined) }, about(monitor));
}

export function alertDue(monitor: Monitor, evaluatorState: EvaluatorState, error: string): OutgoingEvent {
  const { state, enteredAt } = evaluatorState;
  return outgoingEvent(
    MonitorAlertDueSchema,
    {
      monitor: eventMonitor(monitor, evaluatorState),
      state: monitorStates.toValue(state),
      enteredAt: timestampFromDate(enteredAt),
      error,
      outageId: state === 'down' ? outageId(monitor, enteredAt) : '',
    },
    about(monitor),
  );
}

/** Returns the id of the outage that a state change begins or ends; empty for other changes. */
function outageOfChange(
  monitor: Monitor,
  { state, enteredAt, previousState, previousEnteredAt }: EvaluatorState,
): string {
  if (state === 'down') return outageId(monitor, enteredAt);
  return previousState === 'down' && previousEnteredAt ? outageId(monitor, previousEnteredAt) : '';
}

/**
 * Returns the id of an outage. The id is derived from the monitor and the time at which it went down. Both are known at
 * the start and at the end of the outage, so that the id need not be stored. Like all ids, it is ordered by time.
 */
function outageId({ id }: Monitor, wentDownAt: Date): string {
  const random = createHash('sha256').update(`${id} ${wentDownAt.getTime()}`).digest();
  return v7({ msecs: wentDownAt.getTime(), random });
}

export function disableWarning(
  monitor: Monitor,
  evaluatorState: EvaluatorState | undefined,
  { disableAt, ...cause }: DisableCause & { readonly disableAt?: Date },
): OutgoingEvent {
  const end = disableAt && { disableAt: timestampFromDate(disableAt) };
  const message = { monitor: eventMonitor(monitor, evaluatorState), ...causeToProto(cause), ...end };
  return outgoingEvent(MonitorDisableWarningSchema, message, about(monitor));
}

export function autoDisabled(
  monitor: Monitor,
  evaluatorState: EvaluatorState | undefined,
  cause: DisableCause,
): OutgoingEvent {
  const message = { monitor: eventMonitor(monitor, evaluatorState), ...causeToProto(cause) };
  return outgoingEvent(MonitorAutoDisabledSchema, message, about(monitor));
}

function causeToProto(cause: DisableCause) {
  return cause.reason === 'down_too_long'
    ? { reason: DisableReason.DOWN_TOO_LONG, downSince: timestampFromDate(cause.downSince) }
    : { reason: DisableReason.TOO_MANY_DISRUPTIONS, disruptions: cause.disruptions };
}
