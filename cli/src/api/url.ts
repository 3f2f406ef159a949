import { UsageError } from '../errors.ts';

/**
 * Returns the base URL of an installation without a final slash.
 * @throws UsageError for text that is not an http or https URL.
 */
export function baseUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
    throw new UsageError(`${JSON.stringify(text)} is not a URL of an installation such as https://tocsin.example.com.`);
  }
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}
