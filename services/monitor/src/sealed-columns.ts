import type { SealedColumn } from '@tocsin/service';
import { heartbeatTokenContext } from './app/heartbeats/heartbeat-token.ts';
import { monitorSecretsContext } from './app/monitors/monitor-secrets.ts';

/** Database columns that contain values sealed by the vault. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'monitor_secrets', column: 'sealed', keys: ['monitor_id'], context: monitorSecretsContext },
  { table: 'monitor', column: 'heartbeat_token_sealed', keys: ['id'], context: heartbeatTokenContext },
];
