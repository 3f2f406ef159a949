import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { Finding, Path } from './validate.ts';

/** A parsed file. */
export interface Source {
  readonly value: unknown;
  /** Messages about invalid YAML, with line and column. If there are none, `value` is the content. */
  readonly errors: readonly string[];
  /** Returns a finding as a line such as `status.yaml:3:5: monitors[0].name must be a text`. */
  describe(finding: Finding): string;
}

/** Parses YAML, which includes JSON. `name` is the name of the file in messages. */
export function parseSource(name: string, text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const errors = document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message}`);
  let value: unknown;
  if (errors.length === 0) {
    try {
      value = document.toJS();
    } catch (error) {
      errors.push(`${name}:1:1: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  function describe({ path, message, isKey = false }: Finding): string {
    let node: unknown = document.contents;
    let offset = 0;
    for (const [depth, step] of path.entries()) {
      const map = isAlias(node) ? node.resolve(document) : node;
      if (isMap(map)) {
        const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
        if (!pair) break;
        const useKey = isKey && depth === path.length - 1;
        offset = startOf(useKey || !pair.value ? pair.key : pair.value) ?? offset;
        node = pair.value;
      } else if (isSeq(map)) {
        node = map.items[Number(step)];
        offset = startOf(node) ?? offset;
      } else break;
    }
    return `${at(offset)}: ${[spelledPath(path), message].filter(Boolean).join(' ')}`;
  }
  return { value, errors, describe };
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

/** Returns a path as text: `monitors[0].config.url`. */
export function spelledPath(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`))
    .join('');
}
