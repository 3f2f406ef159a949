/**
 * Performs the steps of a start that need the modules of the services: see set-up.ts. Receives one step after the other
 * from its parent process.
 */
import { Problem } from '@tocsin/dev-servers/problem';
import { createRuntime, openTls } from '@tocsin/runtime';
import { ensureFirstOrganization, firstOwnerLink } from './first-organization.ts';
import { prepareDatabases } from './prepare-databases.ts';
import type { Outcome, Step } from './set-up.ts';

async function perform(step: Step): Promise<unknown> {
  if (step.kind === 'databases') return prepareDatabases(step.adminUrl, step.secrets);
  const tls = await openTls({ folder: step.tlsFolder, runtime: createRuntime('admin') });
  const access = { identityUrl: step.identityUrl, secret: step.secret, tls };
  const first = await ensureFirstOrganization(step.dataDir, access);
  return { ...first, signInLink: await firstOwnerLink(access) };
}

async function outcomeOf(step: Step): Promise<Outcome> {
  try {
    return { value: await perform(step) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', async (step: Step) => process.send?.(await outcomeOf(step)));
process.once('disconnect', () => process.exit());
