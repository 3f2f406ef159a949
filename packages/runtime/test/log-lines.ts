import { Writable } from 'node:stream';

export interface LogLines {
  /** Stream for the option `logTo` of a runtime. */
  readonly stream: Writable;
  /** Returns the written log lines, parsed. */
  written(): Record<string, unknown>[];
  /** Returns the written text, unparsed. */
  text(): string;
}

/** Creates a stream that collects the output of a logger. */
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
