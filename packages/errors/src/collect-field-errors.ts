import { type FieldErrors, invalid } from './service-error.ts';

/** Collects the errors in a request's fields, so that all of them are reported at once. */
export class FieldErrorCollector {
  readonly #fields: FieldErrors;
  readonly #path: string;

  /** @param path Prefix of the fields, such as `monitors.3.`. */
  constructor(path = '', fields: FieldErrors = {}) {
    this.#path = path;
    this.#fields = fields;
  }

  /** Returns a collector for a part of the request. Errors that are added to it are also errors of this collector. */
  within(path: string): FieldErrorCollector {
    return new FieldErrorCollector(`${this.#path}${path}`, this.#fields);
  }

  /** Adds an error. An undefined message adds nothing, so that the result of a check can be passed directly. */
  add(field: string, message: string | undefined): void {
    if (message === undefined) return;
    const path = `${this.#path}${field}`;
    const messages = this.#fields[path];
    if (messages) messages.push(message);
    else this.#fields[path] = [message];
  }

  /** Whether there are errors, including those of other parts of the request. */
  get hasAny(): boolean {
    return Object.keys(this.#fields).length > 0;
  }

  /** Throws a ServiceError of kind `invalid` if there are any errors. */
  throwIfAny(): void {
    if (this.hasAny) throw invalid(this.#fields);
  }
}
