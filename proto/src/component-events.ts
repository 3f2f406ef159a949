import { ComponentDeletedSchema, ComponentStatusChangedSchema } from '../gen/tocsin/statuspage/v1/events_pb.ts';

/**
 * Events whose aggregate is a component. A page that loses 500 components publishes as many at once, so a consumer that
 * handles none of them should ignore all of them.
 */
export const COMPONENT_EVENTS = [ComponentDeletedSchema, ComponentStatusChangedSchema];
