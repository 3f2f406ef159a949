import type { Response } from 'playwright-core';
import type { ResponseData } from './in-sandbox/response.ts';
import { Refusal } from './readers.ts';

const MAX_RESPONSES = 100;
const MAX_TEXT_BYTES = 256 * 1024;

interface LoggedResponse {
  readonly number: number;
  /** Id of the page that received the response. */
  readonly page: number;
  readonly response: Response;
}

/** The latest responses that the pages of a run received, by the ids that the script uses. */
export class ResponseLog {
  readonly #responses: LoggedResponse[] = [];
  #last = 0;

  get last(): number {
    return this.#last;
  }

  add(page: number, response: Response): void {
    this.#last += 1;
    this.#responses.push({ number: this.#last, page, response });
    if (this.#responses.length > MAX_RESPONSES) this.#responses.shift();
  }

  /**
   * Returns the first response that the page received after the response with a given id; undefined if there is none
   * yet.
   */
  firstAfter(page: number, after: number): { number: number; response: ResponseData } | undefined {
    const found = this.#responses.find((logged) => logged.page === page && logged.number > after);
    return found && { number: found.number, response: describeResponse(found) };
  }

  async textOf(number: unknown): Promise<string> {
    const found = this.#responses.find((logged) => logged.number === number);
    if (!found) throw new Refusal(`is asked of a response that is gone: the last ${MAX_RESPONSES} are kept`);
    const body = await found.response.body();
    if (body.length > MAX_TEXT_BYTES) throw new Refusal(`returns more than ${MAX_TEXT_BYTES} bytes`);
    return body.toString();
  }

  /** Converts a value for the script: a response becomes ResponseData, and other values are unchanged. */
  describe(value: unknown): unknown {
    const logged = this.#responses.find(({ response }) => response === value);
    if (logged) return describeResponse(logged);
    // Only responses have methods. A value with a `status` method is therefore a response that was dropped from the
    // log.
    const isResponse =
      typeof value === 'object' && value !== null && typeof Reflect.get(value, 'status') === 'function';
    return isResponse ? undefined : (value ?? undefined);
  }
}

function describeResponse({ number, response }: LoggedResponse): ResponseData {
  return {
    id: number,
    url: response.url(),
    status: response.status(),
    statusText: response.statusText(),
    method: response.request().method(),
    headers: response.headers(),
  };
}
