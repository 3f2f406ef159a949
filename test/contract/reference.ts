import { parse } from 'yaml';

/** Samples of an operation in the reference, by language. */
export type Samples = Readonly<Record<string, string>>;

/** Returns the samples of all operations, by id, as the reference pages show them. */
export async function readSamples(baseUrl: string): Promise<Map<string, Samples>> {
  const { tags } = parse(await (await fetch(`${baseUrl}/openapi.yaml`)).text()) as { tags: { name: string }[] };
  const pages = await Promise.all(
    tags.map(async ({ name }) => (await fetch(`${baseUrl}${referencePath(name)}`)).text()),
  );
  const operations = pages.flatMap((page) => page.split('<article class="operation" id="').slice(1));
  return new Map(operations.map((text) => [text.slice(0, text.indexOf('"')), samplesIn(text)]));
}

/** Returns the path of a tag's page. */
export function referencePath(tag: string): string {
  return `/docs/reference/${tag.toLowerCase().replaceAll(' ', '-')}`;
}

function samplesIn(operation: string): Samples {
  const found = operation.matchAll(/<pre tabindex="0" class="sample-(\w+)"><code>(.*?)<\/code>/gs);
  return Object.fromEntries([...found].map(([, language = '', code = '']) => [language, decoded(code)]));
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function decoded(html: string): string {
  return html.replaceAll(/&(#?\w+);/g, (entity, name: string) => CHARACTERS[name] ?? entity);
}
