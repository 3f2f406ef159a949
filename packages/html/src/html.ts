/** HTML that can be safely inserted into a page. Create it with `html`, or from constant text. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * Values that a template can contain: undefined and false are left out, the items of a list are joined, and text is
 * escaped.
 */
export type Piece = Html | string | number | false | undefined | readonly Piece[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * Returns HTML with its values escaped for text and for quoted attributes. All attribute values in a template must be
 * quoted. Values must not be inside `<style>` or `<script>`, where other escaping rules apply.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(render)));
}

function render(value: Piece): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
