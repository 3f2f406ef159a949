import { outboxMigrations } from '@tocsin/outbox';
import { tables } from './001-tables.ts';

export const migrations = [...outboxMigrations, tables];
