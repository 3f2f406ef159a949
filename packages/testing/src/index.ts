export { describeTables } from './describe-tables.ts';
export { eventually } from './eventually.ts';
export { freePort } from './free-port.ts';
export { type ManualClock, manualClock } from './manual-clock.ts';
export { randomOf, seededRandom } from './seeded-random.ts';
export { tablesContaining } from './tables-containing.ts';
export { type TestDatabase, testDatabase } from './test-database.ts';
export { type TestNats, testNats } from './test-nats.ts';
export { type TestCredential, type TestIdentity, testIdentity } from './test-tokens.ts';
