import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';

/** Nobody outside of this process can know it, so no answer holds it by chance or by intent. */
const MARK = `raw-json:${randomUUID()}:`;
const MARKED = new RegExp(`"${MARK}([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"`, 'gs');

/** JSON text that stands in an answer as it is: parsing would lose the order of its keys and digits of its numbers. */
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
 * A schema of an answer's field that is the RawJson of an object: so says the document, while the serializer asks the
 * value.
 */
export function rawObject(options: { readonly description: string; readonly examples?: readonly unknown[] }) {
  return Type.Unsafe<RawJson>({ 'x-type': 'object', ...options });
}

/** Writes the RawJson of answers. Before all that looks at what is sent. */
export function addRawJson(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, _reply, payload) => {
    if (typeof payload !== 'string' || !payload.includes(MARK)) return payload;
    return payload.replace(MARKED, (_match, escaped) => JSON.parse(`"${escaped}"`));
  });
}
