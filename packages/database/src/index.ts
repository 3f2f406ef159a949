export { type Database, type DatabaseOptions, openDatabase, type Scope, type Transaction } from './database.ts';
export { sqlState, violatedConstraint } from './failures.ts';
export { prepareServiceDatabase, type ServiceDatabase } from './prepare.ts';
export { protectByOrganization } from './row-security.ts';
export { sqlMigration } from './sql-migration.ts';
