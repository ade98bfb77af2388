import { HaleError } from './errors.js';

/** How to borrow a connection from a pool that belongs to the application. */
export interface Lender<C> {
  /** Asks the pool; cannot be taken back. */
  acquire(): Promise<C>;
  giveBack(connection: C): unknown;
}

/** One connection on its way. */
export interface Loan<C> {
  readonly connection: Promise<C>;
  /** Makes `connection` reject, unless it has come already. */
  cancel(reason: unknown): void;
}

/** Borrows for the runs of one check. */
export interface LoanDesk<C> {
  /**
   * Asks for a connection, or takes over what a cancelled loan has asked for, so that the pool's queue holds no more
   * requests than there are loans now. What comes when nobody wants it goes straight back.
   * @throws HaleError (`HALE_DISPOSED`), as a rejection, after `close`
   */
  borrow(): Loan<C>;
  /** Cancels every present and later loan. */
  close(): void;
}

interface Borrower<C> {
  resolve(connection: C): void;
  reject(error: unknown): void;
}

/** Creates a loan desk; nothing is asked for before the first loan. */
export function createLoanDesk<C>(lender: Lender<C>): LoanDesk<C> {
  const borrowers: Borrower<C>[] = [];
  let closed: HaleError | undefined;
  let requests = 0;
  const request = (by: Borrower<C>) => {
    requests += 1;
    (async () => lender.acquire())().then(
      (connection) => {
        requests -= 1;
        const next = borrowers.shift();
        if (next === undefined) quietly(() => lender.giveBack(connection));
        else next.resolve(connection);
      },
      (error: unknown) => {
        requests -= 1;
        if (remove(borrowers, by)) by.reject(error);
        // The request of an earlier loan has failed: no news about this one, which then asks for itself.
        const last = borrowers.at(-1);
        if (last !== undefined && requests < borrowers.length) request(last);
      },
    );
  };
  return {
    borrow: () => {
      if (closed !== undefined) return { connection: Promise.reject(closed), cancel: () => {} };
      const { connection, borrower } = createBorrower<C>();
      borrowers.push(borrower);
      if (requests < borrowers.length) request(borrower);
      const cancel = (reason: unknown) => {
        if (remove(borrowers, borrower)) borrower.reject(reason);
      };
      return { connection, cancel };
    },
    close: () => {
      closed = new HaleError('HALE_DISPOSED', 'this check was closed');
      for (const borrower of borrowers.splice(0)) borrower.reject(closed);
    },
  };
}

function createBorrower<C>(): { connection: Promise<C>; borrower: Borrower<C> } {
  const borrower: Borrower<C> = { resolve: () => {}, reject: () => {} };
  const connection = new Promise<C>((resolve, reject) => {
    Object.assign(borrower, { resolve, reject });
  });
  return { connection, borrower };
}

function remove<T>(list: T[], item: T): boolean {
  const index = list.indexOf(item);
  if (index !== -1) list.splice(index, 1);
  return index !== -1;
}

/** Does what has no result that anybody could use, such as giving back. */
export function quietly(work: () => unknown): void {
  (async () => work())().catch(() => {});
}
