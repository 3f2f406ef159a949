const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs;

/**
 * The text of one member of a JSON object as its sender wrote it: with its order of keys and all digits of its numbers,
 * which are lost to parsing. Of several members of that name it is the last, as for JSON.parse(). Undefined when there
 * is none.
 * @param json Text that JSON.parse() has taken for an object.
 */
export function rawJsonMember(json: string, name: string): string | undefined {
  let depth = 0;
  let key: string | undefined;
  let start: number | undefined;
  let found: string | undefined;
  function endMember(end: number): void {
    if (key === name && start !== undefined) found = json.slice(start, end).trim();
    key = start = undefined;
  }
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (token === '}' || token === ']') depth -= 1;
    // Below the outermost braces, or at the last of them.
    if (depth === 0) endMember(index);
    else if (depth === 1 && token === ',') endMember(index);
    else if (depth === 1 && token === ':') start = index + 1;
    else if (depth === 1 && start === undefined) key = JSON.parse(token);
    if (token === '{' || token === '[') depth += 1;
  }
  return found;
}
