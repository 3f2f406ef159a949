import { type ComponentStatus, componentStatuses, locales } from '@tocsin/enums';
import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import {
  ComponentDeletedSchema,
  ComponentStatusChangedSchema,
  PageNoticePostedSchema,
  PageUpdatedSchema,
  PublicPageChangedSchema,
} from '@tocsin/proto/statuspage/v1/events';
import type { Notice } from '../domain/announcement.ts';
import type { StatusPage } from '../domain/page.ts';

interface Page {
  readonly id: string;
  readonly organizationId: string;
}

export function pageUpdated({ id, organizationId }: Page): OutgoingEvent {
  return outgoingEvent(PageUpdatedSchema, { statusPageId: id }, { organizationId, aggregateId: id });
}

/** Returns the event for a page whose settings changed. */
export function pageSettingsChanged(page: StatusPage): OutgoingEvent {
  const { id, organizationId, enabled, subscribersEnabled } = page;
  const message = { statusPageId: id, takesSubscribers: enabled && subscribersEnabled };
  return outgoingEvent(PageUpdatedSchema, message, { organizationId, aggregateId: id });
}

export function pageDeleted({ id, organizationId }: Page): OutgoingEvent {
  return outgoingEvent(PageUpdatedSchema, { statusPageId: id, deleted: true }, { organizationId, aggregateId: id });
}

/** Returns the event that mails a notice to the subscribers of a page. `url` is the page's URL. */
export function pageNoticePosted(
  { id, organizationId, name, locale }: StatusPage,
  url: string,
  { details, ...notice }: Notice,
): OutgoingEvent {
  const message = {
    ...notice,
    statusPageId: id,
    pageName: name,
    pageUrl: url,
    locale: locales.toValue(locale),
    details: details.map(({ label, value }) => ({ label, value })),
  };
  return outgoingEvent(PageNoticePostedSchema, message, { organizationId, aggregateId: id });
}

export function publicPageChanged({ id, organizationId }: Page): OutgoingEvent {
  return outgoingEvent(PublicPageChangedSchema, { statusPageId: id }, { organizationId, aggregateId: id });
}

export function componentDeleted({ id, organizationId }: Page, componentId: string): OutgoingEvent {
  const message = { componentId, statusPageId: id };
  return outgoingEvent(ComponentDeletedSchema, message, { organizationId, aggregateId: componentId });
}

/** Returns the event for a component whose status changes from `component.status` to `status`. */
export function componentStatusChanged(
  organizationId: string,
  component: { id: string; name: string; statusPageId: string; status: ComponentStatus },
  status: ComponentStatus,
): OutgoingEvent {
  return outgoingEvent(
    ComponentStatusChangedSchema,
    {
      componentId: component.id,
      statusPageId: component.statusPageId,
      name: component.name,
      previousStatus: componentStatuses.toValue(component.status),
      status: componentStatuses.toValue(status),
    },
    { organizationId, aggregateId: component.id },
  );
}
