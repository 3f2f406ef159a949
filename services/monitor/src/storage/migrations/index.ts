import { outboxMigrations } from '@tocsin/outbox';
import { monitors } from './001-monitors.ts';

/** In the order in which they run. */
export const migrations = [...outboxMigrations, monitors];
