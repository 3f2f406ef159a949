/** Exit codes of the command. They are documented in docs/command-line.md. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  signedOut: 4,
  unmet: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that ends the command with a message and an exit code. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Thrown for an invalid command line. `help` is printed after the message. */
export class UsageError extends CliError {
  readonly help: string;

  constructor(message: string, help = '') {
    super(EXIT.usage, message);
    this.help = help;
  }
}

/** Thrown if the API refused a request. */
export class RefusedError extends CliError {
  readonly status: number;
  /** Reasons by field; empty if the API named no fields. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(status: number, message: string, fields: Readonly<Record<string, readonly string[]>> = {}) {
    super(status === 401 ? EXIT.signedOut : EXIT.refused, message);
    this.status = status;
    this.fields = fields;
  }
}

/** Thrown if a request got no response. */
export class NoResponseError extends CliError {
  constructor(message: string) {
    super(EXIT.unreachable, message);
  }
}
