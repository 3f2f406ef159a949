/** Supported encodings, best first. */
const encodings = ['br', 'zstd', 'gzip'] as const;

export type Encoding = (typeof encodings)[number];

/**
 * Returns the encoding that an `accept-encoding` header prefers (RFC 9110 §12.5.3) among the `available` ones, which
 * are listed best first; undefined if the response should not be compressed.
 */
export function preferredEncoding(header: string | string[] | undefined): Encoding | undefined;
export function preferredEncoding<Name extends string>(
  header: string | string[] | undefined,
  available: readonly Name[],
): Name | undefined;
export function preferredEncoding(
  header: string | string[] | undefined,
  available: readonly string[] = encodings,
): string | undefined {
  if (header === undefined) return undefined;
  const weights = new Map([header].flat().join(',').toLowerCase().split(',').map(weightOf));
  const liking = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const [best] = available.toSorted((a, b) => liking(b) - liking(a));
  // The response stays uncompressed if the caller gives `identity` a higher weight than every encoding.
  return best && liking(best) > 0 && liking(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

/**
 * Returns an encoding and its weight, which defaults to 1: `gzip;q=0.5` has the weight 0.5. A weight of 0 excludes the
 * encoding.
 */
function weightOf(item: string): [name: string, weight: number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return [name, weight >= 0 && weight <= 1 ? weight : 0];
}
