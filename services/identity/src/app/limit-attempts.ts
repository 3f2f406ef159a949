import { createHash } from 'node:crypto';
import { networkOf } from '@tocsin/text';
import { ATTEMPT_LIMITS, type AttemptKind } from '../domain/attempt-limit.ts';
import { countAttempt } from '../storage/attempt-store.ts';
import type { Deps } from './ports.ts';

/** Counts an attempt of a user, an email address or a network. Returns whether it is within the limit. */
export async function isWithinLimit(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  kind: AttemptKind,
  subject: string,
): Promise<boolean> {
  const { attempts, windowMs } = ATTEMPT_LIMITS[kind];
  const counted = kind.endsWith('_network') ? networkOf(subject) : subject.toLowerCase();
  const hash = createHash('sha256').update(counted).digest();
  return (await countAttempt(database, { kind, subject: hash, windowMs, now: now() })) <= attempts;
}
