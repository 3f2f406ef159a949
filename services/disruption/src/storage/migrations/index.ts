import { outboxMigrations } from '@tocsin/outbox';
import { disruptions } from './001-disruptions.ts';
import { byPeople } from './002-by-people.ts';

/** In the order in which they run. */
export const migrations = [...outboxMigrations, disruptions, byPeople];
