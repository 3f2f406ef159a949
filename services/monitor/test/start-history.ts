import { openDatabase } from '@tocsin/database';
import { createRuntime } from '@tocsin/runtime';
import { manualClock, testDatabase } from '@tocsin/testing';
import { createVault, generateVaultKey, parseVaultKeys } from '@tocsin/vault';
import { v7 } from 'uuid';
import { rollUpResults } from '../src/app/history/roll-up-results.ts';
import type { Deps } from '../src/app/ports.ts';
import { recordResults } from '../src/app/rounds/record-results.ts';
import type { Certificate } from '../src/domain/certificates/certificate.ts';
import { floorToHour } from '../src/domain/history/history-range.ts';
import { DEFAULT_SETTINGS, type Monitor } from '../src/domain/monitors/monitor.ts';
import type { CheckResult } from '../src/domain/rounds/check-result.ts';
import { dropOldPartitions } from '../src/storage/history/partitions.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/monitors/monitor-entity.ts';
import { insertMonitors } from '../src/storage/monitors/monitor-store.ts';

/** Opens the storage of a monitor service on a real PostgreSQL, with a manual clock and without checkers. */
export async function historyFixture(start: string, regions: readonly string[] = ['a', 'b']) {
  await using stack = new AsyncDisposableStack();
  const { url: ownerUrl, runtimeUrl: url } = stack.use(await testDatabase('history'));
  const database = stack.use(await openDatabase({ url, ownerUrl, entities, migrations }));
  const clock = manualClock(start);
  const none = async () => [];
  const deps: Deps = {
    database,
    regions,
    now: clock.now,
    readClock: async () => clock.now(),
    logger: createRuntime('monitor', { logLevel: 'warn' }).logger,
    vault: createVault(parseVaultKeys(generateVaultKey('test'))),
    channels: { existing: none, defaults: none },
    components: { monitorsOf: async (_organizationId, ids) => [...ids] },
    checkers: { send: async () => undefined, ask: none },
  };
  /** Resets the roll-up, so that it counts only hours from now on. */
  async function beginNow(): Promise<void> {
    await database.transaction('every organization', async (tx) => {
      await dropOldPartitions(tx, clock.now());
      await tx.query('update roll_up_progress set sealed_to = $1, rolled_to = $1', [floorToHour(clock.now())]);
    });
  }
  await beginNow();

  const running = stack.move();
  return {
    clock,
    database,
    deps,
    beginNow,
    async monitor(changes: Partial<Monitor> = {}): Promise<Monitor> {
      const monitor: Monitor = {
        ...DEFAULT_SETTINGS,
        id: v7(),
        organizationId: v7(),
        name: 'Shop',
        checkType: 'http',
        version: 1,
        configJson: '{"url":"https://example.com/"}',
        alertChannelIds: [],
        secretNames: [],
        heartbeatToken: undefined,
        createdAt: clock.now(),
        updatedAt: clock.now(),
        ...changes,
      };
      await database.transaction(monitor, async (tx) => insertMonitors(tx, [monitor]));
      return monitor;
    },
    record: (...results: CheckResult[]) => recordResults(deps, results),
    /** Rolls up all hours that are due by now. */
    async rollUp(): Promise<void> {
      while ((await rollUpResults(deps)) === 'again');
    },
    /**
     * Returns the number of rows of a table that an organization can see, or of all rows if no organization is given.
     */
    async rows(table: string, organizationId?: string): Promise<number> {
      const scope = organizationId ? { organizationId } : 'every organization';
      return (await database.transaction(scope, (tx) => tx.query(`select from ${table}`))).length;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns a passed result with the given changes. */
export function resultOf(monitor: Monitor, changes: Partial<CheckResult> & Pick<CheckResult, 'roundAt'>): CheckResult {
  return {
    monitorId: monitor.id,
    region: 'a',
    outcome: 'pass',
    error: '',
    statusCode: 200,
    phases: { total: 100 },
    checkedAt: changes.roundAt,
    ...changes,
  };
}

/** Returns a valid certificate with the given changes. */
export function certificate(fingerprint: string, notAfter: Date, changes: Partial<Certificate> = {}): Certificate {
  const names = { issuer: 'Authority', subject: 'example.com', notBefore: undefined, problem: '' };
  return { fingerprint, ...names, notAfter, valid: true, ...changes };
}
