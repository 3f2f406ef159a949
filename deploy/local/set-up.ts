import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { messageOf, Problem } from '@tocsin/dev-servers/problem';
import type { Bootstrap } from './bootstrap-file.ts';
import type { Secrets } from './secrets.ts';
import type { StoredName } from './service-names.ts';

/** Message to the set-up program. */
export type Step =
  | { readonly kind: 'databases'; readonly adminUrl: string; readonly secrets: Secrets }
  | ({ readonly kind: 'organization' } & OrganizationStep);

interface OrganizationStep {
  readonly dataDir: string;
  readonly identityUrl: string;
  /** Secret of the service identity `admin`. */
  readonly secret: string;
  /** Folder with the certificates for calls; undefined without TLS between services. */
  readonly tlsFolder: string | undefined;
}

/** Response of the set-up program. */
export type Outcome = { readonly value: unknown } | { readonly problem: string } | { readonly error: string };

export interface FirstOrganization extends Pick<Bootstrap, 'organization' | 'api_key'> {
  /** One-time link that signs in the first owner; undefined if this user no longer exists. */
  readonly signInLink: string | undefined;
}

/**
 * Program that performs the steps of a start that need the modules of the services. It has a process of its own, which
 * loads these modules while the servers start, and which ends when the installation is ready, so that the supervising
 * process needs little memory.
 */
export interface SetUp extends AsyncDisposable {
  /**
   * Prepares the databases: see prepareDatabases().
   * @throws Problem if a database can't be prepared.
   */
  prepareDatabases(adminUrl: string, secrets: Secrets): Promise<Record<StoredName, string>>;
  /** Creates the first organization if it does not exist, and a sign-in link for its owner. */
  prepareOrganization(step: OrganizationStep): Promise<FirstOrganization>;
}

/**
 * Starts the set-up program. Disposing ends it. Node stores the compiled sources in the folder `compileCache`, so that
 * later starts take less time.
 */
export function startSetUp(compileCache: string): SetUp {
  const child = fork(join(import.meta.dirname, 'set-up-program.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    // With Ctrl-C, the terminal sends a signal to the whole group. The supervising process ends this one itself.
    detached: true,
  });
  const ended = once(child, 'exit').then(
    ([code, signal]): [Outcome] => [{ error: `the set-up program ended (${signal ?? `exit code ${code}`})` }],
    (error): [Outcome] => [{ error: `the set-up program could not be started: ${messageOf(error)}` }],
  );
  async function perform<Value>(step: Step): Promise<Value> {
    const response = once(child, 'message') as Promise<[Outcome]>;
    response.catch(() => undefined);
    // If the program has ended, `ended` has the reason.
    child.send(step, () => undefined);
    const [outcome] = await Promise.race([ended, response]);
    if ('problem' in outcome) throw new Problem(outcome.problem);
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome.value as Value;
  }
  return {
    prepareDatabases: (adminUrl, secrets) => perform({ kind: 'databases', adminUrl, secrets }),
    prepareOrganization: (step) => perform({ kind: 'organization', ...step }),
    async [Symbol.asyncDispose]() {
      // A signal would end the program before Node has stored the compiled sources.
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
