import { problemOfPassword } from '../domain/new-password.ts';
import type { SignedIn } from '../domain/session.ts';
import { savePassword } from '../storage/password-store.ts';
import { deleteSessions } from '../storage/session-store.ts';
import { deleteSurplusLinks } from '../storage/sign-in-link-store.ts';
import { insertUserAudit } from './audit-user.ts';
import { auditActor, endGrantsOfUser } from './oauth/grants.ts';
import { hashInTurn } from './password-checks.ts';
import { hashPassword } from './password-hash.ts';
import type { Deps } from './ports.ts';
import { proveUser } from './prove-user.ts';

/**
 * Sets or changes a user's password, and ends the user's other sessions and open sign-in links. If `endPrograms` is
 * true, also ends the access of programs (OAuth clients) that the user authorized. Requires a recent sign-in or the
 * current password.
 * @returns The problem with the input; undefined if the password was changed.
 */
export async function changePassword(
  deps: Pick<Deps, 'database' | 'now' | 'mails' | 'background' | 'passwordChecks'>,
  signedIn: SignedIn,
  { current, password, endPrograms }: { current: string; password: string; endPrograms: boolean },
): Promise<string | undefined> {
  const { user, session } = signedIn;
  const problem = problemOfPassword(password, user.email);
  if (problem) return `The new password ${problem}.`;
  const unproven = await proveUser(deps, signedIn, current);
  if (unproven) return unproven;
  const hash = await hashInTurn(deps, session.device.address, () => hashPassword(password));
  if (hash === undefined) return 'Too many people are signing in at the moment. Try again in a minute.';
  const time = deps.now();
  const ended = await deps.database.transaction('every organization', async (tx) => {
    await savePassword(tx, user.id, hash, time);
    await deleteSessions(tx, user.id, session.id);
    await deleteSurplusLinks(tx, user.id, 0);
    const entry = { action: 'user.password_changed', details: {}, credentialId: session.id, occurredAt: time };
    await insertUserAudit(tx, user, { ...entry, device: session.device });
    const revocation = { by: auditActor(signedIn), reason: 'password_changed', now: time } as const;
    return endPrograms ? endGrantsOfUser(tx, user.id, revocation) : 0;
  });
  const programs = ended > 0 ? ' The access of your programs was ended, too.' : '';
  const change = `Your password was changed, and every other browser was signed out.${programs}`;
  deps.background.run(user.id, 'reporting a changed password', () => deps.mails.credentialChange(user.email, change));
  return undefined;
}
