import { outboxMigrations } from '@tocsin/outbox';
import { disruptions } from './001-disruptions.ts';
import { byPeople } from './002-by-people.ts';
import { outages } from './003-outages.ts';
import { acknowledgements } from './004-acknowledgements.ts';
import { explanations } from './005-explanations.ts';
import { retention } from './006-retention.ts';
import { editing } from './007-editing.ts';
import { automaticTexts } from './008-automatic-texts.ts';

/** Migrations in the order in which they run. */
export const migrations = [
  ...outboxMigrations,
  disruptions,
  byPeople,
  outages,
  acknowledgements,
  explanations,
  retention,
  editing,
  automaticTexts,
];
