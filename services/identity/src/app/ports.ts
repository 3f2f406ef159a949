import type { Database } from '@tocsin/database';
import type { Limits } from '@tocsin/enums';
import type { ServiceSecrets } from './service-secrets.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Dependencies of the use cases. */
export interface Deps {
  readonly database: Database;
  readonly signingKeys: SigningKeys;
  readonly serviceSecrets: ServiceSecrets;
  readonly defaultLimits: Limits;
  /** Public base URL of the installation, without a trailing slash. */
  readonly baseUrl: string;
  readonly now: () => Date;
}
