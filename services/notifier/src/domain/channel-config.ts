/** Configuration of a channel. Its fields depend on the channel's type. */
export type ChannelConfig = Readonly<Record<string, unknown>>;

/**
 * Parses the JSON text of a configuration. Returns undefined if it is not an object. An empty string becomes an empty
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
