import { createHash } from 'node:crypto';
import { networkOf } from '@tocsin/text';
import { ATTEMPT_LIMITS, type AttemptKind } from '../domain/attempt-limit.ts';
import { countAttempt, readAttempts } from '../storage/attempt-store.ts';
import type { Deps } from './ports.ts';

/**
 * Counts an attempt of a user, an email address or a network. Returns the number of attempts that are left, which is
 * negative over the limit.
 */
export async function countDown(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  kind: AttemptKind,
  subject: string,
): Promise<number> {
  const { attempts, windowMs } = ATTEMPT_LIMITS[kind];
  return attempts - (await countAttempt(database, { kind, subject: hashOf(kind, subject), windowMs, now: now() }));
}

/** Counts an attempt like countDown(). Returns whether it is within the limit. */
export async function isWithinLimit(
  deps: Pick<Deps, 'database' | 'now'>,
  kind: AttemptKind,
  subject: string,
): Promise<boolean> {
  return (await countDown(deps, kind, subject)) >= 0;
}

/** Whether another attempt is within the limit. Does not count one. For limits of failures only. */
export async function isAttemptLeft(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  kind: AttemptKind,
  subject: string,
): Promise<boolean> {
  const { attempts, windowMs } = ATTEMPT_LIMITS[kind];
  return (await readAttempts(database, { kind, subject: hashOf(kind, subject), windowMs, now: now() })) < attempts;
}

function hashOf(kind: AttemptKind, subject: string): Buffer {
  const counted = kind.endsWith('_network') ? networkOf(subject) : subject.toLowerCase();
  return createHash('sha256').update(counted).digest();
}
