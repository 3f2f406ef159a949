import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';

/** Known to this process only, so that no response holds it by chance or by intent. */
const MARK = `raw-json:${randomUUID()}:`;
const MARKED = new RegExp(`"${MARK}([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"`, 'gs');

/** JSON text that a response has as it is: parsing would lose the order of its keys and digits of its numbers. */
export class RawJson {
  readonly #text: string;

  /** @param text Valid JSON. */
  constructor(text: string) {
    this.#text = text;
  }

  /** What the serializers see; addRawJson() puts the text in its place. */
  toJSON(): string {
    return MARK + this.#text;
  }
}

/**
 * Returns the schema of a response's field that is the RawJson of an object. The serializer sees no type and asks the
 * value.
 */
export function rawObject(documented: object) {
  return Type.Unsafe<RawJson>({ 'x-document': documented });
}

/** Writes the RawJson of responses. Must run before every other hook that reads the payload. */
export function addRawJson(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, _reply, payload) => {
    if (typeof payload !== 'string' || !payload.includes(MARK)) return payload;
    return payload.replace(MARKED, (_match, escaped) => JSON.parse(`"${escaped}"`));
  });
}
