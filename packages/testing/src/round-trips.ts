import type { Transaction } from '@tocsin/database';

/** A transaction with the number of its round trips to the database. */
export interface CountedTransaction extends Transaction {
  /**
   * Number of times that a query was sent after the result of an earlier one had arrived, including the first query.
   * Each use of the ORM counts as one. Statements of send() and the commit are not counted.
   */
  readonly roundTrips: number;
}

/** Returns a transaction that sends its statements with `tx`, and counts the round trips. */
export function countRoundTrips(tx: Transaction): CountedTransaction {
  let roundTrips = 0;
  let hasResult = true;
  return {
    get em() {
      roundTrips += 1;
      return tx.em;
    },
    get roundTrips() {
      return roundTrips;
    },
    send: (...statement) => tx.send(...statement),
    async query<Row>(...statement: Parameters<Transaction['query']>) {
      if (hasResult) roundTrips += 1;
      hasResult = false;
      try {
        return await tx.query<Row>(...statement);
      } finally {
        hasResult = true;
      }
    },
  };
}
