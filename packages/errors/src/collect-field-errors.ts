import { type FieldErrors, invalid } from './service-error.ts';

/** Collects the errors of a request's fields, so that all of them are reported at once. */
export class FieldErrorCollector {
  readonly #fields: FieldErrors = {};

  /** Adds an error. An undefined message adds nothing, so that the result of a check can be passed directly. */
  add(field: string, message: string | undefined): void {
    if (message === undefined) return;
    const messages = this.#fields[field];
    if (messages) messages.push(message);
    else this.#fields[field] = [message];
  }

  /** Throws a ServiceError of kind `invalid` if there are any errors. */
  throwIfAny(): void {
    if (Object.keys(this.#fields).length > 0) throw invalid(this.#fields);
  }
}
