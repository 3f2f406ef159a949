/** Reports progress to a person: on a terminal the line of the current step turns into its result. */
export interface Progress {
  /** Runs a step and shows `text`. If its result is a string, that is shown after it. */
  step<Result>(text: string, work: () => Promise<Result>): Promise<Result>;
  /** Prints a line, also in the middle of a step. */
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
