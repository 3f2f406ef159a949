import { type ComponentStatus, componentStatuses } from '@tocsin/enums';
import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import {
  ComponentDeletedSchema,
  ComponentStatusChangedSchema,
  PageUpdatedSchema,
  PublicPageChangedSchema,
} from '@tocsin/proto/statuspage/v1/events';

interface Page {
  readonly id: string;
  readonly organizationId: string;
}

export function pageUpdated({ id, organizationId }: Page): OutgoingEvent {
  return outgoingEvent(PageUpdatedSchema, { statusPageId: id }, { organizationId, aggregateId: id });
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
