import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';

/** Start of every placeholder. It is random per process, so that no other text in a response can contain it. */
const MARK = `raw-json:${randomUUID()}:`;
const MARKED = new RegExp(`"${MARK}([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"`, 'gs');

/**
 * JSON text that a response contains unchanged. Parsing it would lose the order of keys and the digits of large
 * numbers.
 */
export class RawJson {
  readonly #text: string;

  /** @param text Valid JSON. */
  constructor(text: string) {
    this.#text = text;
  }

  /** Returns a placeholder. addRawJson() replaces it with the text. */
  toJSON(): string {
    return MARK + this.#text;
  }
}

/**
 * Returns the schema of a response field whose value is the RawJson of an object. The schema has no type, so that the
 * serializer calls toJSON().
 */
export function rawObject(documented: object) {
  return Type.Unsafe<RawJson>({ 'x-document': documented });
}

/**
 * Replaces the placeholders in responses with the JSON texts they stand for. Must run before every other hook that
 * reads the payload.
 */
export function addRawJson(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, _reply, payload) => {
    if (typeof payload !== 'string' || !payload.includes(MARK)) return payload;
    return payload.replace(MARKED, (_match, escaped) => JSON.parse(`"${escaped}"`));
  });
}
