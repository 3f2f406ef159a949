import type { Database } from '@tocsin/database';
import type { ServiceSecrets } from './service-secrets.ts';
import type { SigningKeys } from './signing-keys.ts';

/** What the use cases work with. */
export interface Deps {
  readonly database: Database;
  readonly signingKeys: SigningKeys;
  readonly serviceSecrets: ServiceSecrets;
  readonly now: () => Date;
}
