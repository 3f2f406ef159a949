import { Writable } from 'node:stream';
import { openDatabase } from '@tocsin/database';
import { createRuntime } from '@tocsin/runtime';
import { testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import type { Alert } from '../src/domain/alert.ts';
import { insertAlert } from '../src/storage/alert-store.ts';
import { migrations } from '../src/storage/migrations/index.ts';

/** Creates the tables of the notifier, for tests that call use cases and stores directly. */
export async function notifierDatabase() {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await testDatabase('notifier'));
  const database = stack.use(await openDatabase({ url, entities: [], migrations }));
  const logged: string[] = [];
  const write = (chunk: unknown, _: unknown, done: () => void) => {
    logged.push(String(chunk));
    done();
  };
  const { logger } = createRuntime('notifier', { logLevel: 'trace', logTo: new Writable({ write }) });
  const running = stack.move();
  const query = <Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []) =>
    database.transaction('every organization', (tx) => tx.query<Row>(sql, parameters));

  return {
    database,
    logger,
    /** Lines that `logger` has written. */
    logged,
    /** Runs a query across all organizations, and returns the rows. */
    query,
    /** Inserts a webhook channel, and returns its id. */
    async insertChannel(organizationId: string): Promise<string> {
      const id = v7();
      await query(
        `insert into channel (id, organization_id, name, type, sealed_config, enabled, default_for_new_monitors, failed_alerts, revision,
           created_at, updated_at)
         values ($1, $2, 'Ops', 'webhook', '', true, false, 0, 1, now(), now())`,
        [id, organizationId],
      );
      return id;
    },
    /** Inserts an alert about a monitor that went down. */
    async insertOutage(organizationId: string, changes: Partial<Alert> = {}): Promise<Alert> {
      const at = new Date();
      const alert: Alert = {
        id: v7(),
        organizationId,
        eventId: v7(),
        kind: 'monitor_down',
        monitor: { id: v7(), name: 'Shop', url: 'https://shop.example.com' },
        at,
        downSince: undefined,
        error: 'status 502',
        occurredAt: at,
        ...changes,
      };
      await database.transaction('every organization', (tx) => insertAlert(tx, alert));
      return alert;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
