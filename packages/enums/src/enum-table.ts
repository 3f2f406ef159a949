/** The names of a protobuf enum's values in the API: in lower case, without the zero value. */
export type NamesOf<Values extends object> = Lowercase<Exclude<keyof Values & string, 'UNSPECIFIED'>>;

/** Two-way table between the numbers of a protobuf enum and the names of the API. */
export interface EnumTable<Name extends string, Value extends number> {
  /** In the order of the protobuf file. */
  readonly names: readonly Name[];
  /** Returns the fallback for a number that this version does not know, as older gateways meet newer services. */
  toName(value: number): Name;
  /** Returns undefined for a number that this version does not know. */
  findName(value: number): Name | undefined;
  toValue(name: Name): Value;
  /** Returns undefined for an absent name. */
  toValue(name: Name | undefined): Value | undefined;
}

/** Returns the table of a generated enum. `fallback` stands for numbers that this version does not know. */
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
