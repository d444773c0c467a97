import type pg from 'pg';
import type { newId, WorkspaceId } from '../lib/ids.ts';
import type { Config } from '../settings/config.ts';
import type { Sql } from './sql.ts';

/** The parameter of reads: a pool or an open transaction. */
export type Queryable = {
  /** All rows, in wire shape: timestamps are RFC 3339 text, bigints numbers. */
  rows<Row>(query: Sql): Promise<Row[]>;
  /** The first row, or undefined. */
  maybe<Row>(query: Sql): Promise<Row | undefined>;
  /** The first row. Throws when the result is empty. */
  one<Row>(query: Sql): Promise<Row>;
};

/** What verbs need of the settings. It comes with the database, so that no input carries it. */
export type VerbSettings = Pick<Config, 'mail' | 'mailFrom' | 'newRecipientsPerDay' | 'publicUrl' | 'storageBytesMax'>;

/** The parameter of writes. Statements that `together` awaits wait for one round trip instead of one each. */
export type Tx = Queryable & {
  /** Runs a statement and returns how many rows it touched. */
  run(query: Sql): Promise<number>;
  /**
   * Runs a statement in a transaction of its own, which is committed before the result arrives and stays if this
   * transaction is rolled back. For a counter that all writers of a workspace share: nobody waits for its row until a
   * commit.
   */
  apart<Row>(query: Sql): Promise<Row>;
  /** The time of the transaction: the same for all its statements. */
  readonly now: Date;
  newId: typeof newId;
  readonly settings: VerbSettings;
  /**
   * Runs work after all other work of the transaction, right before the commit: the locks that it takes are held for
   * the shortest time, and no other lock is waited for meanwhile. Work of a savepoint that was rolled back is left out.
   */
  last(work: () => Promise<void>): void;
  /** Tells the live followers of this workspace, after the commit, to look for changes. */
  touch(workspaceId: WorkspaceId): void;
  /**
   * Clears this process's cache of access after the commit. Other processes keep theirs for a second at most. Every
   * verb that changes data of the gate, or the own addresses of a workspace, calls this.
   */
  revokes(): void;
  /** Runs work in a savepoint: when it throws, its changes are undone and the transaction can go on. */
  savepoint<Result>(work: () => Promise<Result>): Promise<Result>;
};

export type Db = Queryable & {
  /**
   * Commits all changes of the work, or none. After a conflict with another transaction (SQLSTATE class 40) it runs the
   * work again, so the work must have no effects outside the `tx`.
   */
  tx<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  readonly settings: VerbSettings;
  /** The pool itself, only for the job queue and the migrations. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
};

/**
 * The one way to send statements of a transaction without awaiting each of them: the order of the list is the order of
 * the statements. Any function that takes a `Tx` may stand in the list. Throws the error of the first failed statement,
 * because those after it only report that the transaction is aborted.
 */
export async function together<const Sent extends readonly unknown[]>(
  sent: Sent,
): Promise<{ -readonly [Index in keyof Sent]: Awaited<Sent[Index]> }> {
  const outcomes = await Promise.allSettled(sent);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  // The cast is safe: every outcome is fulfilled here.
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as {
    -readonly [Index in keyof Sent]: Awaited<Sent[Index]>;
  };
}
