import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type EventHandler, on } from '@tocsin/outbox';
import { CertificateExpiringSchema, CertificateRenewedSchema } from '@tocsin/proto/monitor/v1/events';
import { closeIncidents } from '../app/close-incidents.ts';
import type { Deps } from '../app/ports.ts';
import { raiseAlert } from '../app/raise-alert.ts';
import { KEY_PREFIXES } from '../domain/incident.ts';
import { alertMonitorFromProto, linksFromProto } from '../wire/channel.ts';

/** Alerts a monitor's channels when its certificate expires soon or has expired. */
export function onCertificateExpiring(deps: Deps): EventHandler {
  return on(CertificateExpiringSchema, async (message, { id: eventId, organizationId, occurredAt }, tx) => {
    const { monitor, certificate, daysRemaining } = message;
    if (!monitor || !certificate?.notAfter) throw new Error('an expiring certificate names no monitor or no end');
    const alert = {
      ...({ organizationId, eventId, kind: 'cert_expiring', error: '', occurredAt } as const),
      monitor: alertMonitorFromProto(monitor),
      at: occurredAt,
      downSince: undefined,
      certificate: { expiresAt: timestampDate(certificate.notAfter), daysRemaining },
    };
    await raiseAlert(deps, { tx, alert, links: linksFromProto(monitor) });
  });
}

/** Closes the incidents of an expiring certificate when the certificate is renewed. */
export function onCertificateRenewed(deps: Deps): EventHandler {
  return on(CertificateRenewedSchema, async ({ monitor }, { organizationId }, tx) => {
    if (!monitor) throw new Error('a renewed certificate names no monitor');
    await closeIncidents(deps, tx, {
      organizationId,
      monitorId: monitor.id,
      keyPrefixes: [KEY_PREFIXES.certificate],
    });
  });
}
