/** A channel's configuration; what it may hold depends on the channel's type. */
export type ChannelConfig = Readonly<Record<string, unknown>>;

/**
 * Parses the JSON text of a configuration; returns undefined when it is not an object. An empty text is an empty
 * object.
 */
export function readConfig(configJson: string): ChannelConfig | undefined {
  if (configJson === '') return {};
  try {
    const value: unknown = JSON.parse(configJson);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as ChannelConfig) : undefined;
  } catch {
    return undefined;
  }
}
