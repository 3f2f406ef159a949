/** A piece of HTML that is safe to put into a page. Made by `html`, or from text of the project itself. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template: nothing for undefined, each of a list, and texts that are escaped. */
export type Piece = Html | string | number | undefined | readonly Piece[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * HTML whose values are escaped for text and for quoted attributes. Every attribute value in a template is quoted, and
 * no value stands inside `<style>` or `<script>`, where other rules hold.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(render)));
}

function render(value: Piece): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(render).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
