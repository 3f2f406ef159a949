/** Tells a person what happens: on a terminal the step at hand is a line that turns into its result. */
export interface Progress {
  /** Runs one step. `text` is what it does; the result, if it is a text, says what came out. */
  step<Result>(text: string, work: () => Promise<Result>): Promise<Result>;
  /** A line of its own, also in the middle of a step. */
  say(line: string): void;
}

export function startProgress(stream: NodeJS.WriteStream = process.stdout): Progress {
  const terminal = stream.isTTY === true;
  let current: string | undefined;

  function say(line: string): void {
    if (!terminal) stream.write(`${line}\n`);
    else stream.write(`\r\u001b[K${line}\n${current === undefined ? '' : `  … ${current}`}`);
  }

  async function step<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
    const began = performance.now();
    current = text;
    if (terminal) stream.write(`  … ${text}`);
    try {
      const result = await work();
      current = undefined;
      say(`  ✓ ${text} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
      return result;
    } catch (error) {
      current = undefined;
      say(`  ✗ ${text}`);
      throw error;
    }
  }

  return { step, say };
}
