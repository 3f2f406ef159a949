export { type Database, type DatabaseOptions, openDatabase } from './database.ts';
export { sqlState, violatedConstraint } from './failures.ts';
export { countRows, type LimitedRows, requireWithinLimit } from './limits.ts';
export { prepareServiceDatabase, type ServiceDatabase } from './prepare.ts';
export { protectByOrganization, type Scope } from './row-security.ts';
export { sqlMigration } from './sql-migration.ts';
export type { Transaction } from './transaction.ts';
export { type Leadership, whileLeading } from './while-leading.ts';
