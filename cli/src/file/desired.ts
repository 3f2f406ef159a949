import type { Json, JsonObject } from '../json.ts';
import type { Path } from './validate.ts';

/**
 * State that a file describes. If the file has no list for a kind of resource, the property is undefined, and `apply`
 * does not change resources of this kind.
 */
export interface Desired {
  readonly channels?: readonly DesiredChannel[] | undefined;
  readonly monitors?: readonly DesiredMonitor[] | undefined;
  readonly pages?: readonly DesiredPage[] | undefined;
}

/** A value that uses an environment variable that is not set. */
export interface Missing {
  readonly name: string;
  readonly path: Path;
}

export interface DesiredChannel {
  /** Place of the value in the file. */
  readonly path: Path;
  readonly name: string;
  readonly type: string;
  /** All fields that can be compared, by their names in the API. */
  readonly settings: JsonObject;
  /** Name of the fallback channel; null if there is none. */
  readonly fallback: string | null;
  readonly config: JsonObject;
  /** Variables in the config that are not set. */
  readonly missing: readonly Missing[];
}

/** Link from a monitor to an alert channel. */
export interface ChannelLink {
  readonly channel: string;
  readonly after_minutes: Json;
  readonly events: Json;
}

export interface DesiredMonitor {
  readonly path: Path;
  readonly name: string;
  readonly checkType: string;
  readonly settings: JsonObject;
  /** Undefined if the file leaves the channels as they are. */
  readonly channels: readonly ChannelLink[] | undefined;
  /** Values of secrets; undefined if the check type has none. */
  readonly secrets: Readonly<Record<string, string>> | undefined;
  /** Secrets that use a variable that is not set. */
  readonly missing: readonly (Missing & { readonly secret: string })[];
}

export interface DesiredComponent {
  readonly kind: 'component';
  readonly name: string;
  readonly description: Json;
  readonly start_date: Json;
  readonly monitors: readonly { readonly monitor: string; readonly down_status: Json }[];
}

export interface DesiredGroup {
  readonly kind: 'group';
  readonly name: string;
  readonly default_open: Json;
  readonly components: readonly DesiredComponent[];
}

export type DesiredEntry = DesiredGroup | DesiredComponent;

export interface DesiredPage {
  readonly path: Path;
  readonly slug: string;
  readonly settings: JsonObject;
  /** Undefined if the file leaves the domain as it is. */
  readonly customDomain: string | null | undefined;
  /** Undefined if the file leaves the structure as it is. */
  readonly entries: readonly DesiredEntry[] | undefined;
}

/** Returns a link with its events sorted, because the API and the file may list them in different orders. */
export function channelLink(channel: string, { after_minutes = 0, events = null }: JsonObject): ChannelLink {
  return { channel, after_minutes, events: Array.isArray(events) ? [...new Set(events)].map(String).sort() : events };
}
