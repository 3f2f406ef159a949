const DAY_MS = 24 * 3_600_000;

/** Time limit for confirming a new mail address. */
export const CONFIRM_MS = DAY_MS;

/** Time limit for undoing a change with the link that was sent to the earlier address. */
export const UNDO_MS = 7 * DAY_MS;

/** Change of a user's mail address. */
export interface EmailChange {
  readonly id: string;
  readonly userId: string;
  readonly oldEmail: string;
  readonly newEmail: string;
  readonly createdAt: Date;
}
