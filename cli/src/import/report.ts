import type { JsonObject } from '../json.ts';
import { oneLine } from '../terminal/text.ts';

/** Result of an import. */
export interface Imported {
  /** Content of a file for `apply`. */
  readonly content: {
    readonly alert_channels: readonly JsonObject[];
    readonly monitors: readonly JsonObject[];
    readonly status_pages: readonly JsonObject[];
  };
  readonly report: Report;
}

const MAX_NAMES = 8;

/** Collects what an import omitted or changed. */
export class Report {
  readonly #skipped = new Map<string, string[]>();
  readonly #changed = new Map<string, string[]>();

  /** Records an item that was not imported, such as `monitor "NAS"`. */
  skip(what: string, reason: string): void {
    this.#skipped.set(reason, [...(this.#skipped.get(reason) ?? []), what]);
  }

  /** Records a setting whose imported value differs from the original. */
  change(what: string, difference: string): void {
    this.#changed.set(difference, [...(this.#changed.get(difference) ?? []), what]);
  }

  /** Number of items that were not imported. */
  get skipped(): number {
    return [...this.#skipped.values()].reduce((sum, names) => sum + names.length, 0);
  }

  /** Number of settings whose imported value differs from the original. */
  get changed(): number {
    return [...this.#changed.values()].reduce((sum, names) => sum + names.length, 0);
  }

  /** Returns the report as text: a line for each reason, with the number and the names of the affected items. */
  describe(): string {
    const lines = (title: string, reasons: ReadonlyMap<string, readonly string[]>) =>
      reasons.size === 0
        ? []
        : [title, ...[...reasons].map(([reason, names]) => `  ${names.length} × ${reason}: ${shown(names)}`)];
    return [
      ...lines(`Not carried over: ${this.skipped}`, this.#skipped),
      ...lines(`Different from before: ${this.changed}`, this.#changed),
    ]
      .map((line) => `${line}\n`)
      .join('');
  }
}

function shown(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMES).map(oneLine).join(', ');
  return names.length > MAX_NAMES ? `${first} and ${names.length - MAX_NAMES} more` : first;
}
