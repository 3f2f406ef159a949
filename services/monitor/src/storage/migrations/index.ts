import { outboxMigrations } from '@tocsin/outbox';
import { monitors } from './001-monitors.ts';
import { secretsAndHeartbeats } from './002-secrets-and-heartbeats.ts';
import { history } from './003-history.ts';

/** In the order in which they run. */
export const migrations = [...outboxMigrations, monitors, secretsAndHeartbeats, history];
