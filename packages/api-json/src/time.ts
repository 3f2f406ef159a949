import type { Timestamp } from '@bufbuild/protobuf/wkt';

/** Formatted times. The resources of a response were often created or changed together. */
const texts = new Map<bigint, string>();
const MAX_TEXTS = 100;

/** Formats a time in whole seconds, as in `2026-11-20T10:00:00Z`. */
export function toSeconds(timestamp: Timestamp | undefined): string {
  if (!timestamp) return '1970-01-01T00:00:00Z';
  const { seconds } = timestamp;
  let text = texts.get(seconds);
  if (text === undefined) {
    text = `${new Date(Number(seconds) * 1_000).toISOString().slice(0, 19)}Z`;
    if (texts.size >= MAX_TEXTS) texts.clear();
    texts.set(seconds, text);
  }
  return text;
}

export function toSecondsOrNull(timestamp: Timestamp | undefined): string | null {
  return timestamp ? toSeconds(timestamp) : null;
}

/** Formats a time in microseconds, as in `2026-11-20T10:00:00.123456Z`. Used only for the times of state changes. */
export function toMicroseconds(timestamp: Timestamp): string {
  const micros = Math.floor(timestamp.nanos / 1_000)
    .toString()
    .padStart(6, '0');
  return `${toSeconds(timestamp).slice(0, 19)}.${micros}Z`;
}
