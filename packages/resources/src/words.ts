/** Two-way table between an enum of the services and the contract's words. */
export interface Words<Word extends string, Value extends number> {
  readonly all: readonly Word[];
  toWord(value: number): Word;
  /** Undefined for an absent word. */
  toValue(word: Word | undefined): Value | undefined;
}

/**
 * The words of an enum are its names in lower case; UNSPECIFIED has none.
 * `toWord` of a value that has none answers `fallback`, as older gateways meet newer services.
 */
export function enumNames<const Word extends string, Value extends number>(
  values: Readonly<Record<string, Value>>,
  all: readonly Word[],
  fallback: NoInfer<Word>,
): Words<Word, Value> {
  const byWord = new Map<Word, Value | undefined>(all.map((word) => [word, values[word.toUpperCase()]]));
  const byValue = new Map<number | undefined, Word>(all.map((word) => [byWord.get(word), word]));
  return {
    all,
    toWord: (value) => byValue.get(value) ?? fallback,
    toValue: (word) => (word === undefined ? undefined : byWord.get(word)),
  };
}
