/** Shows progress in the terminal. The line of the current step is replaced by its result. */
export interface Progress {
  /** Runs a step while showing `text`. If the result is a string, it is shown after `text`. */
  step<Result>(text: string, work: () => Promise<Result>): Promise<Result>;
  /** Prints a line. May be called during a step. */
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
