import type { EventKind } from '@tocsin/enums';
import { FieldErrorCollector } from '@tocsin/errors';
import { readEvents } from '../domain/subscription.ts';
import type { Deps } from './ports.ts';

/**
 * Checks the given fields of a subscription, and resolves the host of its URL. Returns the event kinds without
 * duplicates.
 * @throws ServiceError `invalid` that names all invalid fields.
 */
export async function checkSubscription(
  { problemOfUrl }: Deps,
  { url, events: names }: { url: string | undefined; events: readonly string[] | undefined },
): Promise<{ events: readonly EventKind[] | undefined }> {
  const errors = new FieldErrorCollector();
  if (url !== undefined) errors.add('url', await problemOfUrl(url));
  const { events, problems = [] } = names ? readEvents(names) : {};
  for (const [field, problem] of problems) errors.add(field, problem);
  errors.throwIfAny();
  return { events };
}
