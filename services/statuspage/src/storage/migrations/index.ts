import { outboxMigrations } from '@tocsin/outbox';
import { pages } from './001-pages.ts';

export const migrations = [...outboxMigrations, pages];
