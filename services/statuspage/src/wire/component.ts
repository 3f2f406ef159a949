import type {
  CreateComponentRequest,
  CreateGroupRequest,
  UpdateComponentRequest,
  UpdateGroupRequest,
} from '@tocsin/proto/statuspage/v1/component';
import type { ComponentChanges, NewComponent } from '../domain/edit-components.ts';
import type { GroupChanges } from '../domain/edit-groups.ts';
import { defined, linksFromProto } from './page.ts';

/** Returns only the changes that the request contains. */
export function groupChangesFromProto({ name, position }: CreateGroupRequest | UpdateGroupRequest): GroupChanges {
  return defined({ name, position });
}

export function newComponentFromProto(request: CreateComponentRequest): NewComponent {
  const { name, description, position, componentGroupId, monitors } = request;
  return {
    name,
    description,
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
  const { name, description, position, componentGroupId, monitors } = request;
  return {
    ...defined({ name, position }),
    ...(description && { description: description.value }),
    ...(componentGroupId && { groupId: componentGroupId.value?.toLowerCase() }),
    ...(monitors && { monitors: linksFromProto(monitors.links) }),
  };
}
