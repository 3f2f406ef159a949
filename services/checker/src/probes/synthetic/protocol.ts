import type { ScriptLocation, ScriptStep } from '../../domain/script-run.ts';

/** A call that creates a locator: `['getByRole', 'button', { name: 'Log in' }]`. */
export type Link = readonly [method: string, ...args: unknown[]];

/** Cause of a failure: the script or an assertion, the network, or the browser. */
export type FailureKind = 'script' | 'network' | 'browser';

/** Messages from the host to the sandbox, one line of JSON each. */
export type ToSandbox =
  | { readonly start: { readonly script: string; readonly secrets: Readonly<Record<string, string>> } }
  | { readonly reply: number; readonly value?: unknown }
  | { readonly reply: number; readonly failure: { readonly message: string; readonly kind: FailureKind } }
  | { readonly page: number; readonly url: string };

/**
 * Messages from the sandbox to the host, one line of JSON each. A script can forge them, so the host trusts none of
 * them.
 */
export type FromSandbox =
  | {
      readonly call: number;
      /** Name of the method, such as `page.goto`. */
      readonly method: string;
      /** Id of the page or response. */
      readonly target?: number | undefined;
      /** Locator chain, for `locator.…`. */
      readonly chain?: readonly Link[] | undefined;
      readonly args: readonly unknown[];
      readonly at?: ScriptLocation | undefined;
    }
  | { readonly log: string }
  | { readonly step: ScriptStep }
  | { readonly done: { readonly failure?: ScriptFailure | undefined } };

export interface ScriptFailure {
  readonly message: string;
  readonly kind: FailureKind;
  readonly at?: ScriptLocation | undefined;
}

/** The first line of a run's standard input. */
export interface RunOrder {
  readonly script: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Value of TOCSIN_ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivateTargets: string;
  readonly closedPorts: readonly number[];
  readonly nameServers?: readonly string[] | undefined;
  readonly chromium: string;
  readonly chromiumSandbox: boolean;
  readonly deno: string;
}

/** Messages on a run's standard output, one line of JSON each. */
export type RunEvent =
  | { readonly started: true }
  | { readonly log: string }
  | { readonly step: ScriptStep }
  | { readonly end: RunEnd };

export interface RunEnd {
  readonly outcome: 'pass' | 'fail' | 'error' | 'timeout' | 'unknown';
  readonly error: string;
  readonly ms: number;
  /** Set if Chromium refused to start because it can't use its sandbox. Never set after the script has started. */
  readonly noSandbox?: true | undefined;
  readonly at?: ScriptLocation | undefined;
  /** Screenshot as a JPEG, in base64. */
  readonly screenshot?: string | undefined;
}
