/** Names of a protobuf enum's values in the API: in lower case, without the zero value. */
export type NamesOf<Values extends object> = Lowercase<Exclude<keyof Values & string, 'UNSPECIFIED'>>;

/** Two-way table between the numbers of a protobuf enum and the API's names. */
export interface EnumTable<Name extends string, Value extends number> {
  /** Names in the order of the protobuf file. */
  readonly names: readonly Name[];
  /** Returns the name of a number. Returns the fallback for an unknown number, which a newer service may send. */
  toName(value: number): Name;
  /** Returns the name of a number; undefined for an unknown number. */
  findName(value: number): Name | undefined;
  toValue(name: Name): Value;
  /** Returns the number of a name; undefined for an absent name. */
  toValue(name: Name | undefined): Value | undefined;
}

/** Returns the table of a generated enum. `fallback` is the name for unknown numbers. */
export function enumTable<const Values extends Readonly<Record<string, number>>>(
  values: Values,
  fallback: NoInfer<NamesOf<Values>>,
): EnumTable<NamesOf<Values>, Values[keyof Values]>;
export function enumTable(values: Readonly<Record<string, number>>, fallback: string): EnumTable<string, number> {
  const entries = Object.entries(values).filter(([key]) => key !== 'UNSPECIFIED');
  const byName = new Map(entries.map(([key, value]) => [key.toLowerCase(), value]));
  const byValue = new Map(entries.map(([key, value]) => [value, key.toLowerCase()]));
  function toValue(name: string): number;
  function toValue(name: string | undefined): number | undefined;
  function toValue(name: string | undefined): number | undefined {
    return name === undefined ? undefined : byName.get(name);
  }
  return {
    names: [...byName.keys()],
    toName: (value) => byValue.get(value) ?? fallback,
    findName: (value) => byValue.get(value),
    toValue,
  };
}
