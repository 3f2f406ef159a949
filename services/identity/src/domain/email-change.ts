const DAY_MS = 24 * 3_600_000;

/** Time in which a new mail address has to be confirmed. */
export const CONFIRM_MS = DAY_MS;

/** Time in which the reader of the earlier address can undo a change. */
export const UNDO_MS = 7 * DAY_MS;

/** Change of a user's mail address. */
export interface EmailChange {
  readonly id: string;
  readonly userId: string;
  readonly oldEmail: string;
  readonly newEmail: string;
  readonly createdAt: Date;
}
