import { Writable } from 'node:stream';

export interface LogLines {
  /** For `logTo` of a runtime. */
  readonly stream: Writable;
  /** What was written so far, line by line. */
  written(): Record<string, unknown>[];
  /** The same as it came. */
  text(): string;
}

/** Catches what a logger writes. */
export function lines(): LogLines {
  let caught = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      caught += String(chunk);
      done();
    },
  });
  return {
    stream,
    text: () => caught,
    written: () =>
      caught
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}
