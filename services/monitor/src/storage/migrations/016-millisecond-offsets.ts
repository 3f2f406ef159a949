import { sqlMigration } from '@tocsin/database';

/** Spreads rounds over milliseconds instead of whole seconds. */
export const millisecondOffsets = sqlMigration(
  '016-millisecond-offsets',
  `
  alter table schedule alter column offset_seconds type numeric(9, 3);
  -- Existing monitors move by less than a second.
  update schedule set offset_seconds = offset_seconds + trunc(random()::numeric, 3);
  `,
);
