import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { isId } from '@tocsin/text';
import { parse, v7 } from 'uuid';
import { decideEnforced } from '../domain/enforced-sign-in.ts';
import { CHALLENGE_MS, MAX_PASSKEYS, problemOfPasskeyName } from '../domain/passkey.ts';
import type { Device, SignedIn, User } from '../domain/session.ts';
import { findEnforcedMember } from '../storage/organization-sign-in-store.ts';
import {
  deletePasskey,
  insertChallenge,
  insertPasskey,
  listPasskeys,
  lockPasskey,
  recordPasskeyUse,
  renamePasskey as rename,
  takeChallenge,
} from '../storage/passkey-store.ts';
import { insertUserAudit } from './audit-user.ts';
import { isWithinLimit } from './limit-attempts.ts';
import type { Deps } from './ports.ts';
import { proveUser } from './prove-user.ts';
import { createSecret, hashSecret, isSecret } from './secret.ts';
import { startSession } from './sessions.ts';
import { insertSignInAudit } from './sign-in.ts';

type PasskeyDeps = Pick<Deps, 'database' | 'now' | 'baseUrl' | 'mails' | 'background' | 'passwordChecks'>;

/** Loads the library when it is first used, because it takes about 5 MiB, and many installations have no passkeys. */
const webAuthn = () => import('@simplewebauthn/server');

const NOT_ACCEPTED = 'The passkey was not accepted. Try again.';
const TOO_MANY = `You have ${MAX_PASSKEYS} passkeys. Remove one first.`;

/**
 * Returns the options with which a browser creates a passkey, or a problem. Needs a fresh sign-in or the current
 * password.
 */
export async function passkeyCreationOptions(
  deps: PasskeyDeps,
  signedIn: SignedIn,
  current: string,
): Promise<{ options: PublicKeyCredentialCreationOptionsJSON } | { problem: string }> {
  const problem = await proveUser(deps, signedIn, current);
  if (problem) return { problem };
  const { id, email } = signedIn.user;
  const known = await deps.database.transaction('every organization', (tx) => listPasskeys(tx, id));
  if (known.length >= MAX_PASSKEYS) return { problem: TOO_MANY };
  const challenge = await createChallenge(deps, id);
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpName: 'Tocsin',
    rpID: hostOf(deps),
    userID: new Uint8Array(parse(id)),
    userName: email,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
  });
  return { options };
}

/** Adds the passkey that a browser created. Returns the problem; undefined if it was added. */
export async function addPasskey(
  deps: PasskeyDeps,
  signedIn: SignedIn,
  { response, name }: { response: string; name: string },
): Promise<string | undefined> {
  const unsuitable = problemOfPasskeyName(name);
  if (unsuitable) return unsuitable;
  const { user, session } = signedIn;
  const time = deps.now();
  const parsed = parseResponse<RegistrationResponseJSON>(response);
  const expectedChallenge = parsed && (await useChallenge(deps, parsed, user.id));
  if (!parsed || !expectedChallenge) return NOT_ACCEPTED;
  const { verifyRegistrationResponse } = await webAuthn();
  const verified = await orUndefined(
    verifyRegistrationResponse({
      response: parsed,
      expectedChallenge,
      expectedOrigin: originOf(deps),
      expectedRPID: hostOf(deps),
      requireUserVerification: true,
    }),
  );
  if (!verified?.verified) return NOT_ACCEPTED;
  const { credential } = verified.registrationInfo;
  const problem = await deps.database.transaction('every organization', async (tx) => {
    if ((await listPasskeys(tx, user.id)).length >= MAX_PASSKEYS) return TOO_MANY;
    if (await lockPasskey(tx, credential.id)) return 'This passkey was added already.';
    await insertPasskey(tx, {
      id: v7(),
      userId: user.id,
      name,
      credentialId: credential.id,
      publicKey: credential.publicKey,
      counter: credential.counter,
      transports: credential.transports ?? [],
      createdAt: time,
    });
    const entry = { action: 'user.passkey_added', details: { name }, credentialId: session.id, occurredAt: time };
    await insertUserAudit(tx, user, { ...entry, device: session.device });
    return undefined;
  });
  if (!problem) report(deps, user, `The passkey “${name}” was added: you can sign in with it.`);
  return problem;
}

/**
 * Returns the options with which a browser signs in with any passkey of this installation; undefined if the network of
 * the browser has sent too many requests.
 */
export async function passkeyRequestOptions(
  deps: PasskeyDeps,
  address: string,
): Promise<PublicKeyCredentialRequestOptionsJSON | undefined> {
  if (!(await isWithinLimit(deps, 'passkey_from_network', address))) return undefined;
  const challenge = await createChallenge(deps, undefined);
  const { generateAuthenticationOptions } = await webAuthn();
  return generateAuthenticationOptions({
    rpID: hostOf(deps),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    userVerification: 'required',
  });
}

/**
 * Starts a session if a passkey's signature is valid, and returns the session's secret; undefined if the signature is
 * wrong, and 'at_provider' if an organization of the user enforces its provider. No second-factor code is needed,
 * because the authenticator has verified the user and is something that the user has.
 */
export async function signInByPasskey(
  deps: PasskeyDeps,
  { response, device }: { response: string; device: Device },
): Promise<string | undefined> {
  const parsed = parseResponse<AuthenticationResponseJSON>(response);
  const expectedChallenge = parsed && (await useChallenge(deps, parsed, undefined));
  if (!parsed || !expectedChallenge) return undefined;
  const time = deps.now();
  const { verifyAuthenticationResponse } = await webAuthn();
  return deps.database.transaction('every organization', async (tx) => {
    const found = await lockPasskey(tx, parsed.id);
    if (!found) return undefined;
    const { passkey, user } = found;
    const verified = await orUndefined(
      verifyAuthenticationResponse({
        response: parsed,
        expectedChallenge,
        expectedOrigin: originOf(deps),
        expectedRPID: hostOf(deps),
        requireUserVerification: true,
        // Refuses a counter that has not grown, because the passkey may have been copied.
        credential: { id: passkey.credentialId, publicKey: passkey.publicKey, counter: passkey.counter },
      }),
    );
    if (!verified?.verified) return undefined;
    await recordPasskeyUse(tx, { id: passkey.id, counter: verified.authenticationInfo.newCounter, usedAt: time });
    const enforced = await findEnforcedMember(tx, user);
    if (decideEnforced(enforced, { method: 'passkey', hasSecondFactor: true }) !== 'allow') return 'at_provider';
    await insertSignInAudit(tx, user, { device, factor: 'passkey', now: time });
    return startSession(tx, { userId: user.id, device, now: time });
  });
}

/** Renames a passkey of a user. Returns what is wrong with the name; undefined if it is accepted. */
export async function renamePasskey(
  { database }: Pick<Deps, 'database'>,
  { user }: SignedIn,
  { id, name }: { id: string; name: string },
): Promise<string | undefined> {
  const problem = problemOfPasskeyName(name);
  if (problem || !isId(id)) return problem;
  await database.transaction('every organization', (tx) => rename(tx, user.id, id, name));
  return undefined;
}

/** Removes a passkey of a user. Returns the problem; undefined if the user no longer has the passkey. */
export async function removePasskey(
  deps: PasskeyDeps,
  signedIn: SignedIn,
  { id, current }: { id: string; current: string },
): Promise<string | undefined> {
  const problem = await proveUser(deps, signedIn, current);
  if (problem || !isId(id)) return problem;
  const { user, session } = signedIn;
  const name = await deps.database.transaction('every organization', async (tx) => {
    const removed = await deletePasskey(tx, user.id, id);
    if (removed === undefined) return undefined;
    const entry = { action: 'user.passkey_removed', details: { name: removed }, occurredAt: deps.now() };
    await insertUserAudit(tx, user, { ...entry, credentialId: session.id, device: session.device });
    return removed;
  });
  if (name !== undefined) report(deps, user, `The passkey “${name}” was removed. It does not sign in any more.`);
  return undefined;
}

async function createChallenge({ database, now }: PasskeyDeps, userId: string | undefined): Promise<string> {
  const challenge = createSecret();
  const expiresAt = new Date(now().getTime() + CHALLENGE_MS);
  await database.transaction('every organization', (tx) =>
    insertChallenge(tx, { hash: hashSecret(challenge), userId, expiresAt }),
  );
  return challenge;
}

/**
 * Uses up the challenge that a browser signed, and returns it; undefined if it is unknown, used or expired. A wrong
 * signature also uses up the challenge.
 */
async function useChallenge(
  { database, now }: PasskeyDeps,
  { response }: { readonly response: { readonly clientDataJSON: string } },
  userId: string | undefined,
): Promise<string | undefined> {
  const challenge = challengeIn(response.clientDataJSON);
  if (challenge === undefined) return undefined;
  const taken = await database.transaction('every organization', (tx) =>
    takeChallenge(tx, { hash: hashSecret(challenge), userId, now: now() }),
  );
  return taken ? challenge : undefined;
}

function challengeIn(clientDataJson: string): string | undefined {
  const { challenge } = parseJson(Buffer.from(clientDataJson, 'base64url').toString()) ?? {};
  return typeof challenge === 'string' && isSecret(challenge) ? challenge : undefined;
}

/** Parses the JSON that the page's script submits; undefined for other texts. */
function parseResponse<Response extends { id: string }>(text: string): Response | undefined {
  const value = parseJson(text);
  const { response } = value ?? {};
  const isResponse =
    typeof value?.id === 'string' &&
    typeof response === 'object' &&
    response !== null &&
    'clientDataJSON' in response &&
    typeof response.clientDataJSON === 'string';
  // The library verifies all other fields.
  return isResponse ? (value as unknown as Response) : undefined;
}

/** Parses a JSON object; undefined for other texts. */
function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the result of a verification; undefined if the library refuses the response with an error. */
async function orUndefined<Result>(verification: Promise<Result>): Promise<Result | undefined> {
  return verification.catch(() => undefined);
}

function originOf({ baseUrl }: PasskeyDeps): string {
  return new URL(baseUrl).origin;
}

function hostOf({ baseUrl }: PasskeyDeps): string {
  return new URL(baseUrl).hostname;
}

function report({ mails, background }: PasskeyDeps, { id, email }: User, change: string): void {
  background.run(id, 'reporting a changed passkey', () => mails.credentialChange(email, change));
}
