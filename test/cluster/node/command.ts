import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Text for stdin. */
  readonly input?: string;
}

/**
 * Runs a program and returns its stdout.
 * @throws Error with the end of the output if the program fails.
 */
export async function command(program: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { input = '', ...rest } = options;
  const child = spawn(program, args, { ...rest, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  // Ignore the error that occurs if the program exits before it has read its input.
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return stdout;
  const end = `${stdout}\n${stderr}`.trim().split('\n').slice(-30).join('\n');
  throw new Error(`${program} ${args.slice(0, 6).join(' ')} ended with ${code}:\n${end}`);
}
