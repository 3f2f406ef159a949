import { curl } from './curl.ts';
import type { ExampleCall } from './example-call.ts';
import { go } from './go.ts';
import { javascript } from './javascript.ts';
import { python } from './python.ts';

/** A language of samples. The id is a part of class names, and the choice that browsers store. */
interface Language {
  readonly id: string;
  readonly name: string;
  readonly sample: (call: ExampleCall) => string;
}

/** Languages of samples. The first one is shown until a reader chooses another. */
export const LANGUAGES: readonly Language[] = [
  { id: 'curl', name: 'curl', sample: curl },
  { id: 'javascript', name: 'JavaScript', sample: javascript },
  { id: 'python', name: 'Python', sample: python },
  { id: 'go', name: 'Go', sample: go },
];
