import { createHash } from 'node:crypto';
import { networkOf, siteOf } from '@tocsin/text';
import { ATTEMPT_LIMITS, type AttemptKind, SITE_FACTOR } from '../domain/attempt-limit.ts';
import { countAttempt, readAttempts } from '../storage/attempt-store.ts';
import type { Deps } from './ports.ts';

/**
 * Counts an attempt against a user, an email address or a network, which is an IPv4 address or an IPv6 /64 network.
 * Returns the number of attempts that are left, or a negative number if the limit is exceeded. An attempt from an IPv6
 * network also counts against the site (/48) that contains the network. If the network is over its own limit, the
 * attempt does not count against the site, so that one network can't use up the limit of its site.
 */
export async function countDown(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  kind: AttemptKind,
  subject: string,
): Promise<number> {
  const { windowMs } = ATTEMPT_LIMITS[kind];
  let left = Number.POSITIVE_INFINITY;
  for (const { counted, attempts } of countersOf(kind, subject)) {
    const made = await countAttempt(database, { kind, subject: hashOf(counted), windowMs, now: now() });
    left = Math.min(left, attempts - made);
    if (left < 0) break;
  }
  return left;
}

/** Counts an attempt like countDown(). Returns whether it is within the limit. */
export async function isWithinLimit(
  deps: Pick<Deps, 'database' | 'now'>,
  kind: AttemptKind,
  subject: string,
): Promise<boolean> {
  return (await countDown(deps, kind, subject)) >= 0;
}

/**
 * Returns whether another attempt is within the limit, without counting an attempt. Only for limits that count
 * failures.
 */
export async function isAttemptLeft(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  kind: AttemptKind,
  subject: string,
): Promise<boolean> {
  const { windowMs } = ATTEMPT_LIMITS[kind];
  for (const { counted, attempts } of countersOf(kind, subject)) {
    const made = await readAttempts(database, { kind, subject: hashOf(counted), windowMs, now: now() });
    if (made >= attempts) return false;
  }
  return true;
}

/**
 * Returns the subjects against which an attempt is counted, each with its limit. For an IP address, the subjects are
 * its network and, for IPv6, its site. Otherwise the given subject is the only one.
 */
function countersOf(kind: AttemptKind, subject: string): { counted: string; attempts: number }[] {
  const { attempts } = ATTEMPT_LIMITS[kind];
  if (!kind.endsWith('_network')) return [{ counted: subject.toLowerCase(), attempts }];
  const site = siteOf(subject);
  return [
    { counted: networkOf(subject), attempts },
    ...(site === undefined ? [] : [{ counted: site, attempts: attempts * SITE_FACTOR }]),
  ];
}

function hashOf(counted: string): Buffer {
  return createHash('sha256').update(counted).digest();
}
