/** Returns the word that is most similar to a text; undefined if none is similar. */
export function nearest(text: string, words: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(text.length / 3));
  const [best] = words
    .map((word) => ({ word, distance: distanceOf(text.toLowerCase(), word.toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return best?.word;
}

/** Returns the number of characters to insert, delete or replace to turn one text into the other (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
