import type { Database } from '@tocsin/database';
import type { Limits } from '@tocsin/enums';
import type { Vault } from '@tocsin/vault';
import type { Background } from './background.ts';
import type { PasswordChecks } from './password-checks.ts';
import type { ServiceSecrets } from './service-secrets.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Sends emails about accounts through the notifier. Each call makes one attempt. */
export interface AccountMails {
  /**
   * @throws ServiceError `unavailable` if the mail server did not accept the email. The other methods also throw it.
   */
  signIn(to: string, url: string): Promise<void>;
  invitation(
    to: string,
    invitation: { readonly url: string; readonly organizationName: string; readonly invitedBy: string },
  ): Promise<void>;
  /** @param change Sentence that says what was changed. */
  credentialChange(to: string, change: string): Promise<void>;
  /**
   * @param notice Sentences about a change to the organization, and the URL of the page on which the recipient can
   * respond.
   */
  organizationNotice(
    to: string,
    notice: { readonly organizationName: string; readonly notice: string; readonly url: string },
  ): Promise<void>;
  /** @param confirmation The URL of the confirmation link, and the current address of the account. */
  emailConfirmation(to: string, confirmation: { readonly url: string; readonly account: string }): Promise<void>;
  emailChanged(to: string, change: { readonly undoUrl: string; readonly newAddress: string }): Promise<void>;
}

/** Services other than identity that store data of organizations. */
export const EXPORTING_SERVICES = ['monitor', 'disruption', 'statuspage', 'notifier'] as const;

export type ExportingService = (typeof EXPORTING_SERVICES)[number];

/** Access to the data that other services store for an organization. */
export interface Exports {
  /**
   * Returns a page of the rows of a service. The cursor is `next` of the previous page.
   * @throws ServiceError `unavailable` if the service does not respond.
   */
  listRows(
    service: ExportingService,
    organizationId: string,
    cursor: string | undefined,
  ): Promise<{ readonly rows: readonly string[]; readonly next: string | undefined }>;
}

/** A client at the OpenID Connect provider of an organization. */
export interface ProviderClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

/** Access to the OpenID Connect providers of organizations. */
export interface Providers {
  /** Returns the reason why a text is not a valid issuer; undefined if it is valid. */
  problemOfIssuer(issuer: string): Promise<string | undefined>;
  /**
   * Returns the URL at which a user signs in.
   * @throws ServiceError `invalid` that says why the provider can't be used. claimsOf() also throws it.
   */
  signInUrl(
    client: ProviderClient,
    request: { readonly state: string; readonly nonce: string; readonly verifier: string; readonly email: string },
  ): Promise<string>;
  /** Returns the claims about the user whom the provider sent back with these parameters. */
  claimsOf(
    client: ProviderClient,
    response: {
      readonly parameters: URLSearchParams;
      readonly state: string;
      readonly nonce: string;
      readonly verifier: string;
    },
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** The DNS queries that identity makes. */
export interface Dns {
  /**
   * Returns the values of TXT records; an empty list if the name does not exist.
   * @throws ServiceError `unavailable` if DNS does not respond.
   */
  texts(name: string): Promise<readonly string[]>;
}

/** Dependencies of the use cases. */
export interface Deps {
  readonly database: Database;
  readonly vault: Vault;
  readonly signingKeys: SigningKeys;
  readonly serviceSecrets: ServiceSecrets;
  readonly defaultLimits: Limits;
  /** Public base URL of the installation, without a trailing slash. */
  readonly baseUrl: string;
  readonly mails: AccountMails;
  readonly exports: Exports;
  readonly providers: Providers;
  readonly dns: Dns;
  readonly background: Background;
  readonly passwordChecks: PasswordChecks;
  readonly now: () => Date;
}
