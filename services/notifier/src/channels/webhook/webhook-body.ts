import type { TemplateVariable } from '@tocsin/enums';
import { spellDuration } from '@tocsin/text';
import { formatTime, type Notice, STATUS_OF } from '../../domain/notice.ts';
import { fillTemplate, measureFilled } from './fill-template.ts';
import { MAX_BODY_BYTES } from './webhook-config.ts';

/** Returns the body for a channel without a template, in the format that the README of this service describes. */
export function defaultBody(notice: Notice): string {
  const {
    kind,
    monitor,
    monitorLink,
    outageLink,
    channelName,
    at,
    error,
    downtimeMs,
    certificate,
    disruptionId,
    late,
  } = notice;
  return JSON.stringify({
    event: kind,
    status: STATUS_OF[kind],
    monitor: { id: monitor.id, name: monitor.name, url: orNull(monitor.url), api_url: monitorLink },
    channel_name: channelName,
    timestamp: formatTime(at),
    error: orNull(error),
    downtime_seconds: downtimeMs === undefined ? null : Math.round(downtimeMs / 1000),
    downtime_duration: downtimeMs === undefined ? null : spellDuration(downtimeMs),
    cert_expiry_date: certificate ? formatTime(certificate.expiresAt) : null,
    days_remaining: certificate?.daysRemaining ?? null,
    disruption_id: disruptionId ?? null,
    outage_url: outageLink,
    late: late ?? false,
    ...(notice.changes && {
      changes: notice.changes.map(
        ({ kind: event, monitorId, name, at: since, error: reason, count = 1, isAlerted, outageLink: url }) => ({
          event,
          monitor: { id: monitorId, name },
          timestamp: formatTime(new Date(since)),
          error: orNull(reason),
          count,
          outage_url: url ?? null,
          already_alerted: isAlerted ?? false,
        }),
      ),
    }),
    ...(notice.heldBackUntil && { held_back_until: formatTime(notice.heldBackUntil) }),
  });
}

/**
 * Returns the channel's template with the variables replaced by their values.
 * @throws {BodyTooLongError} before anything is filled, if the body would be longer than MAX_BODY_BYTES.
 */
export function bodyFromTemplate(template: string, notice: Notice): string {
  const { kind, monitor, outageLink, channelName, at, error, downtimeMs, certificate, disruptionId, statusPageUrl } =
    notice;
  const values: Record<TemplateVariable, string> = {
    event: kind,
    status: STATUS_OF[kind],
    monitor_id: monitor.id,
    monitor_name: monitor.name,
    monitor_url: monitor.url,
    channel_name: channelName,
    timestamp: formatTime(at),
    last_error: error,
    downtime_duration: downtimeMs === undefined ? '' : spellDuration(downtimeMs),
    cert_expiry_date: certificate ? formatTime(certificate.expiresAt) : '',
    days_remaining: certificate ? String(certificate.daysRemaining) : '',
    disruption_id: disruptionId ?? '',
    outage_url: outageLink,
    status_page_url: statusPageUrl ?? '',
  };
  const { bytes, largest = '' } = measureFilled(template, values);
  if (bytes > MAX_BODY_BYTES) throw new BodyTooLongError(bytes, largest);
  return fillTemplate(template, values);
}

/** Thrown if a template that is filled with the values of an alert is too long to be sent. */
export class BodyTooLongError extends Error {
  constructor(bytes: number, largest: string) {
    super(
      `the body from config.payload_template would be ${bytes} bytes, and at most ${MAX_BODY_BYTES} are sent: ` +
        `use {{${largest}}}, which takes up most of it, less often`,
    );
  }
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
