import { homedir } from 'node:os';
import { join } from 'node:path';

/** Folder of everything that outlives a run: built programs, Debian packages, and the layers of images. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tocsin-cluster');

/** Programs that are built from Go modules. */
export const PROGRAMS = join(CACHE, 'programs');

/** Unpacked Debian packages. */
export const DEBIAN = join(CACHE, 'debian');

/** Definitions of the resources of the Gateway API. */
export const GATEWAY_RESOURCES = join(CACHE, 'gateway-api');

/** Folder of the running cluster. When the cluster ends, only the logs remain, until the next cluster starts. */
export const STATE = join(CACHE, 'cluster');

/** The repository. */
export const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Environment for commands. Its PATH includes the built programs. */
export const programEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [PROGRAMS, process.env.PATH, '/usr/sbin', '/usr/bin'].join(':'),
  KUBECONFIG: join(STATE, 'kubeconfig'),
};
