import { type FieldErrors, invalid } from './service-error.ts';

/** Gathers every wrong field of a request, so that all of them are named at once. */
export class FieldErrorCollector {
  readonly #fields: FieldErrors = {};

  /** Undefined adds nothing, so that the result of a check can be passed directly. */
  add(field: string, message: string | undefined): void {
    if (message === undefined) return;
    const messages = this.#fields[field];
    if (messages) messages.push(message);
    else this.#fields[field] = [message];
  }

  /** Throws kind `invalid` if anything was added. */
  throwIfAny(): void {
    if (Object.keys(this.#fields).length > 0) throw invalid(this.#fields);
  }
}
