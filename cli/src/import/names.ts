/** Makes names unique: a second "Shop" becomes "Shop (2)". */
export class UniqueNames {
  readonly #taken = new Set<string>();

  take(wanted: string, fallback: string): string {
    const base = [...wanted.trim()].slice(0, 240).join('') || fallback;
    let name = base;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${base} (${number})`;
    this.#taken.add(name);
    return name;
  }
}

/** Returns a valid slug that is similar to a text. */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
  return slug.length >= 3 ? slug : `status${slug && '-'}${slug}`;
}

/** Returns the allowed check interval that is closest to a number of seconds. */
export function intervalOf(seconds: number): number {
  return Math.min(86_400, Math.max(30, Math.round(seconds)));
}

/** Returns the minutes that a number of repeated checks takes, as a confirmation window of at most 30 minutes. */
export function confirmMinutes(repetitions: number, intervalSeconds: number): number {
  return Math.min(30, Math.ceil((Math.max(0, repetitions) * intervalSeconds) / 60));
}

/** Escapes a text so that `apply` replaces no variables in it. */
export function literal(text: string): string {
  return text.replaceAll('${', '$${');
}
