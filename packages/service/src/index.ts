export { exportRpc } from './export-rpc.ts';
export { SEALED_METRIC, type SealedColumn, startRewrapping } from './rewrap-sealed.ts';
export { type DatabaseConfig, readDatabaseConfig, readServiceConfig, type ServiceConfig } from './service-config.ts';
export {
  type Composition,
  type RunningService,
  type ServiceDefinition,
  type ServiceParts,
  startService,
} from './start-service.ts';
