import { type Html, html, type Piece } from '@tocsin/html';
import type { Parameter, Schema } from '../document/types.ts';
import { words } from './prose.ts';
import type { Resolve } from './resolve.ts';
import { typeWords } from './type-words.ts';

/**
 * Whether an object is sent in a request or returned in a response. A request marks the fields that are required, a
 * response those that may be absent.
 */
export type Direction = 'sent' | 'answered';

/** Renders the fields of an object with their nested fields; for a union, the fields of each variant. */
export function fieldsHtml(object: Schema, direction: Direction, resolve: Resolve): Html {
  const { properties = {}, required = [], oneOf, anyOf, discriminator } = object;
  const forms = oneOf ?? anyOf;
  if (forms) return html`${forms.map((form, index) => formHtml(form, index, discriminator, direction, resolve))}`;
  const fields = Object.entries(properties).map(([name, reference]) => {
    const schema = resolve(reference);
    return fieldHtml(name, schema, {
      mark: markOf(required.includes(name), direction),
      type: typeWords(schema, resolve),
      below: belowHtml(schema, direction, resolve),
    });
  });
  return html`<ul class="fields">${fields}</ul>`;
}

/**
 * Renders one variant of an object. The title is the variant's discriminator value; without one, the variant's name.
 */
function formHtml(
  reference: Schema,
  index: number,
  discriminator: Schema['discriminator'],
  direction: Direction,
  resolve: Resolve,
): Html {
  const form = resolve(reference);
  const value = Object.keys(discriminator?.mapping ?? {})[index];
  const label = value === undefined ? form.title : `${discriminator?.propertyName}: ${value}`;
  return html`
      <details><summary>${label ?? 'Form'}</summary>${fieldsHtml(form, direction, resolve)}</details>`;
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
  readonly type: string;
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

/** Renders the fields of an object, or of the items of an array of objects. */
function belowHtml(schema: Schema, direction: Direction, resolve: Resolve): Html | undefined {
  const items = schema.items && resolve(schema.items);
  const object = items ?? schema;
  if (!object.properties && !object.oneOf && !object.anyOf) return undefined;
  return html`
      <details open><summary>${items ? 'Fields of each' : 'Fields'}</summary>${fieldsHtml(object, direction, resolve)}</details>`;
}
