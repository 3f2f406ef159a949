export interface BodyBudgetOptions {
  /** Maximum total size, in bytes, of all tenants' large bodies. */
  readonly bytes: number;
  readonly bytesPerTenant: number;
}

/**
 * Maximum size of a small body. A small body counts only towards its tenant's limit, so that other tenants' large
 * bodies can't cause its refusal.
 */
const SMALL_BYTES = 16 * 1024;

/** Counts the bytes of request bodies that are in memory or announced by their headers, per tenant and in total. */
export class BodyBudget {
  readonly #options: BodyBudgetOptions;
  readonly #tenants = new Map<string, number>();
  #used = 0;

  constructor(options: BodyBudgetOptions) {
    this.#options = options;
  }

  /** Total size, in bytes, of all tenants' large bodies. */
  get used(): number {
    return this.#used;
  }

  /**
   * Reserves bytes. Returns undefined if too few are left, and otherwise a function that releases the reserved bytes.
   * Repeated calls of this function have no further effect.
   */
  take(tenant: string, bytes: number): (() => void) | undefined {
    const shared = bytes > SMALL_BYTES ? bytes : 0;
    const own = (this.#tenants.get(tenant) ?? 0) + bytes;
    if (own > this.#options.bytesPerTenant || this.#used + shared > this.#options.bytes) return undefined;
    this.#tenants.set(tenant, own);
    this.#used += shared;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#used -= shared;
      const left = (this.#tenants.get(tenant) ?? 0) - bytes;
      if (left > 0) this.#tenants.set(tenant, left);
      else this.#tenants.delete(tenant);
    };
  }
}
