import type {
  CreateComponentRequest,
  CreateGroupRequest,
  UpdateComponentRequest,
  UpdateGroupRequest,
} from '@tocsin/proto/statuspage/v1/component';
import type { ComponentChanges, NewComponent } from '../domain/edit-components.ts';
import type { GroupChanges, NewGroup } from '../domain/edit-groups.ts';
import { defined, linksFromProto } from './page.ts';

export function newGroupFromProto({ name, position, defaultOpen }: CreateGroupRequest): NewGroup {
  return { name, defaultOpen, ...defined({ position }) };
}

/**
 * Returns only the changes that the request contains. If the request clears `defaultOpen`, the result has this key with
 * the value undefined.
 */
export function groupChangesFromProto({ name, position, defaultOpen }: UpdateGroupRequest): GroupChanges {
  return { ...defined({ name, position }), ...(defaultOpen && { defaultOpen: defaultOpen.value }) };
}

export function newComponentFromProto(request: CreateComponentRequest): NewComponent {
  const { name, description, position, componentGroupId, monitors, startDate } = request;
  return {
    name,
    description,
    startDate,
    monitors: linksFromProto(monitors),
    groupId: componentGroupId?.toLowerCase(),
    ...defined({ position }),
  };
}

/**
 * Returns only the changes that the request contains. A string that the request clears is present with the value
 * undefined.
 */
export function componentChangesFromProto(request: UpdateComponentRequest): ComponentChanges {
  const { name, description, position, componentGroupId, monitors, startDate } = request;
  return {
    ...defined({ name, position }),
    ...(description && { description: description.value }),
    ...(componentGroupId && { groupId: componentGroupId.value?.toLowerCase() }),
    ...(monitors && { monitors: linksFromProto(monitors.links) }),
    ...(startDate && { startDate: startDate.value }),
  };
}
