import { outboxMigrations } from '@tocsin/outbox';
import { tables } from './001-tables.ts';
import { limitsAndDescent } from './002-limits-and-descent.ts';

export const migrations = [...outboxMigrations, tables, limitsAndDescent];
