import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type EventHandler, on } from '@tocsin/outbox';
import { MonitorAutoDisabledSchema, MonitorDisableWarningSchema } from '@tocsin/proto/monitor/v1/events';
import { emailOwners } from '../app/email-owners.ts';
import type { Deps } from '../app/ports.ts';
import { monitorLink } from '../domain/notice.ts';
import { autoDisabled, disableWarning } from '../domain/owner-emails.ts';
import { disableCauseFromProto } from '../wire/channel.ts';

/** Sends emails to owners before and after the system disables a monitor. */
export function onMonitorDisabling({ baseUrl }: Deps): EventHandler[] {
  return [
    on(MonitorDisableWarningSchema, async (message, { id: eventId, organizationId, occurredAt }, tx) => {
      const { monitor, disableAt } = message;
      if (!monitor) throw new Error('a warning before disabling names no monitor');
      const letter = disableWarning(
        { name: monitor.name, link: monitorLink(baseUrl, monitor.id) },
        disableCauseFromProto(message, occurredAt),
        disableAt && timestampDate(disableAt),
      );
      const about = { organizationId, eventId, kind: 'disable_warning', resourceId: monitor.id, occurredAt } as const;
      await emailOwners(tx, about, letter);
    }),
    on(MonitorAutoDisabledSchema, async (message, { id: eventId, organizationId, occurredAt }, tx) => {
      const { monitor } = message;
      if (!monitor) throw new Error('a monitor that was disabled is not named');
      const subject = { name: monitor.name, link: monitorLink(baseUrl, monitor.id) };
      const about = { organizationId, eventId, kind: 'auto_disabled', resourceId: monitor.id, occurredAt } as const;
      await emailOwners(tx, about, autoDisabled(subject, disableCauseFromProto(message, occurredAt)));
    }),
  ];
}
