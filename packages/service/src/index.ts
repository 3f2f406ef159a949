export { type DatabaseClock, startDatabaseClock } from './database-clock.ts';
export { exportRpc } from './export-rpc.ts';
export { type Loop, type LoopOptions, quietMsOf, startLoops } from './loops.ts';
export { openServiceDatabase } from './open-service-database.ts';
export { refuseStopped } from './refuse-stopped.ts';
export { SEALED_METRIC, type SealedColumn, startRewrapping } from './rewrap-sealed.ts';
export {
  type DatabaseConfig,
  readDatabaseConfig,
  readServiceConfig,
  readStorageConfig,
  type ServiceConfig,
  type StorageConfig,
} from './service-config.ts';
export {
  type Composition,
  type RunningService,
  type ServiceDefinition,
  type ServiceParts,
  startService,
} from './start-service.ts';
