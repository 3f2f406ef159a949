const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs;

/**
 * Returns the text of each item in a JSON array as it was sent.
 * @param json Valid JSON text of an array.
 */
export function rawJsonItems(json: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (token === '}' || token === ']') depth -= 1;
    // An item ends at a comma directly inside the outermost brackets, or at the closing bracket.
    if (depth === 0 || (depth === 1 && token === ',')) {
      items.push(json.slice(start, index).trim());
      start = index + 1;
    }
    if (token === '{' || token === '[') depth += 1;
  }
  // Drop the empty texts: the one before the opening bracket, and the one between the brackets of an empty array.
  return items.filter((text) => text !== '');
}

/**
 * Returns the text of a member in a JSON object as it was sent, with the order of keys and all digits of numbers;
 * undefined if there is no such member. If the name is repeated, returns the last value, as JSON.parse() does.
 * @param json Valid JSON text of an object.
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
    // A member ends at a comma directly inside the outermost braces, or at the closing brace.
    if (depth === 0) endMember(index);
    else if (depth === 1 && token === ',') endMember(index);
    else if (depth === 1 && token === ':') start = index + 1;
    else if (depth === 1 && start === undefined) key = JSON.parse(token);
    if (token === '{' || token === '[') depth += 1;
  }
  return found;
}
