import { curl } from './curl.ts';
import type { ExampleCall } from './example-call.ts';
import { go } from './go.ts';
import { javascript } from './javascript.ts';
import { python } from './python.ts';

/**
 * A language in which code samples are shown. The id is part of CSS class names. The browser stores the id of the
 * language that the reader chose.
 */
interface Language {
  readonly id: string;
  readonly name: string;
  readonly sample: (call: ExampleCall) => string;
}

/** Languages of the code samples. The first one is shown until a reader chooses another. */
export const LANGUAGES: readonly Language[] = [
  { id: 'curl', name: 'curl', sample: curl },
  { id: 'javascript', name: 'JavaScript', sample: javascript },
  { id: 'python', name: 'Python', sample: python },
  { id: 'go', name: 'Go', sample: go },
];
