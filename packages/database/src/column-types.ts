import pg from 'pg';

const { builtins } = pg.types;

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.TIMESTAMPTZ, (text) => new Date(text)],
  [builtins.DATE, String],
  [builtins.INT8, Number],
  [builtins.NUMERIC, Number],
]);

/**
 * Parsers of column values. Values of timestamptz become Dates (in milliseconds), and values of int8 and numeric become
 * numbers. Values of date remain strings such as `2026-11-20`, because they have no time zone.
 */
export const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return parsers.get(oid) ?? pg.types.getTypeParser(oid, format);
  },
};
