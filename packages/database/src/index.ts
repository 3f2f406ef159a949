export { type Database, type DatabaseOptions, LONG_STATEMENTS, migrateDatabase, openDatabase } from './database.ts';
export { sqlState, violatedConstraint } from './failures.ts';
export { countRows, type LimitedRows, requireWithinLimit } from './limits.ts';
export { prepareServiceDatabase, type ServiceDatabase, type ServiceUrls } from './prepare.ts';
export { protectByOrganization, type Scope } from './row-security.ts';
export { escapeOfRowSecurity } from './runtime-role.ts';
export { sqlMigration } from './sql-migration.ts';
export type { Transaction, TransactionLimits } from './transaction.ts';
export { type Leadership, whileLeading } from './while-leading.ts';
