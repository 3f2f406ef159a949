import { type Html, html, type Piece } from '@tocsin/html';
import type { Parameter, Schema } from '../document/types.ts';
import { words } from './prose.ts';
import type { Resolve } from './resolve.ts';
import { typeWords } from './type-words.ts';

/**
 * Whether an object is sent in a request or returned in a response. A request marks the required fields, a response
 * marks the optional fields.
 */
export type Direction = 'sent' | 'answered';

/** Named objects in the responses on a page. The page describes each of them once. */
export class PageObjects {
  readonly #resolve: Resolve;
  readonly #names = new Set<string>();

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  /** Returns a link to the description of an object on the page; undefined for an unnamed object. */
  link({ $ref }: Schema): Html | undefined {
    const name = $ref?.split('/').at(-1);
    if (name === undefined) return undefined;
    this.#names.add(name);
    return html`<a href="#object-${name}">${name}</a>`;
  }

  /** Renders all linked objects and the objects inside them; undefined if there are none. */
  describe(): Html | undefined {
    const described: Html[] = [];
    // The loop also visits entries that are added to the set while it runs.
    for (const name of this.#names) {
      const schema = this.#resolve<Schema>({ $ref: `#/components/schemas/${name}` });
      described.push(html`
      <section class="object" id="object-${name}" aria-labelledby="object-${name}-title">
        <h3 id="object-${name}-title"><a href="#object-${name}">${name}</a></h3>
        ${fieldsHtml(schema, 'answered', this.#resolve, this)}
      </section>`);
    }
    return described.length === 0
      ? undefined
      : html`<section class="objects" aria-labelledby="objects">
      <h2 id="objects">Objects in responses</h2>${described}
    </section>`;
  }
}

/**
 * Renders the fields of an object with their nested fields; for a union, the fields of each variant. With `objects`,
 * named objects become links.
 */
export function fieldsHtml(object: Schema, direction: Direction, resolve: Resolve, objects?: PageObjects): Html {
  const { properties = {}, required = [], oneOf, anyOf, discriminator } = object;
  const forms = oneOf ?? anyOf;
  if (forms)
    return html`${forms.map((form, index) => formHtml(form, index, discriminator, direction, resolve, objects))}`;
  const fields = Object.entries(properties).map(([name, reference]) => {
    const schema = resolve(reference);
    const link = objects?.link(reference) ?? (schema.items && objects?.link(schema.items));
    return fieldHtml(name, schema, {
      mark: markOf(required.includes(name), direction),
      type: link ? html`${schema.items && 'array of '}${link}` : typeWords(schema, resolve),
      below: link ? undefined : belowHtml(schema, direction, resolve, objects),
    });
  });
  return html`<ul class="fields">${fields}</ul>`;
}

/**
 * Renders one variant of an object. The title is the variant's discriminator value or, without a discriminator, the
 * variant's name.
 */
function formHtml(
  reference: Schema,
  index: number,
  discriminator: Schema['discriminator'],
  direction: Direction,
  resolve: Resolve,
  objects: PageObjects | undefined,
): Html {
  const form = resolve(reference);
  const value = Object.keys(discriminator?.mapping ?? {})[index];
  const label = value === undefined ? form.title : `${discriminator?.propertyName}: ${value}`;
  return html`
      <details><summary>${label ?? 'Form'}</summary>${fieldsHtml(form, direction, resolve, objects)}</details>`;
}

export function parametersHtml(parameters: readonly Parameter[], resolve: Resolve): Html {
  const fields = parameters.map(({ name, in: place, required = false, schema, description }) =>
    fieldHtml(
      name,
      { ...schema, ...(description && { description }) },
      { mark: markOf(required, 'sent'), type: `${place} · ${typeWords(schema, resolve)}` },
    ),
  );
  return html`<ul class="fields">${fields}</ul>`;
}

function markOf(required: boolean, direction: Direction): Html | undefined {
  if (direction === 'sent') return required ? html`<span class="required">required</span>` : undefined;
  return required ? undefined : html`<span class="type">· may be absent</span>`;
}

interface Around {
  readonly mark: Piece;
  readonly type: Piece;
  readonly below?: Piece;
}

function fieldHtml(name: string, schema: Schema, { mark, type, below }: Around): Html {
  const { description, default: fallback, enum: choices, pattern } = schema;
  return html`
    <li>
      <div class="field">
        <code class="name">${name}</code>
        <span class="type">${type}</span>
        ${mark}
      </div>
      ${description && description !== type ? html`<p>${words(description)}</p>` : undefined}
      ${choices && html`<p class="choices">One of ${choices.map((choice) => html`<code>${String(choice)}</code> `)}</p>`}
      ${fallback === undefined ? undefined : html`<p>Default <code>${JSON.stringify(fallback)}</code></p>`}
      ${isReadable(pattern) ? html`<p>Matches <code>${pattern}</code></p>` : undefined}
      ${below}
    </li>`;
}

function isReadable(pattern: string | undefined): pattern is string {
  return pattern !== undefined && pattern.length < 60;
}

/** Renders the fields of an object, or of the objects in an array. */
function belowHtml(
  schema: Schema,
  direction: Direction,
  resolve: Resolve,
  objects: PageObjects | undefined,
): Html | undefined {
  const items = schema.items && resolve(schema.items);
  const object = items ?? schema;
  if (!object.properties && !object.oneOf && !object.anyOf) return undefined;
  return html`
      <details open><summary>${items ? 'Fields of each' : 'Fields'}</summary>${fieldsHtml(object, direction, resolve, objects)}</details>`;
}
