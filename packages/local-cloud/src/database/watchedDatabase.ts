// A connection that stops at damage: after the first statement that finds damage, no other statement runs, so
// that the rest of the data can be recovered.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StatusError, status } from '../protocol/status.ts';
import { resultCode, SQLITE } from './resultCodes.ts';

/** The message for a damaged file, after its path. */
export const DAMAGED = 'is damaged: put a copy in its place, or remove it, or choose another file (--data)';

/** A connection whose statements throw DATA_LOSS after damage was found. */
export class WatchedDatabase extends DatabaseSync {
  /** Resolves with the error of all further statements when one has found damage. Never rejects. */
  readonly damaged: Promise<StatusError>;
  readonly #name: string;
  readonly #report: (damage: StatusError) => void;
  #damage: StatusError | undefined;

  /**
   * @param path of the file, or `:memory:`.
   * @param name of the database in messages.
   * @param timeoutMs how long a statement waits for the lock of another process.
   */
  constructor(path: string, name: string, timeoutMs = 0) {
    super(path, { timeout: timeoutMs });
    const { promise, resolve } = Promise.withResolvers<StatusError>();
    this.damaged = promise;
    this.#report = resolve;
    this.#name = name;
  }

  override exec(sql: string): void {
    this.#watch(() => super.exec(sql))();
  }

  override prepare(sql: string): StatementSync {
    const statement = this.#watch(() => super.prepare(sql))();
    statement.get = this.#watch(statement.get.bind(statement)) as StatementSync['get'];
    statement.all = this.#watch(statement.all.bind(statement)) as StatementSync['all'];
    statement.run = this.#watch(statement.run.bind(statement)) as StatementSync['run'];
    const iterate = this.#watch(statement.iterate.bind(statement));
    statement.iterate = ((...values: Parameters<typeof iterate>) => {
      const rows = iterate(...values);
      rows.next = this.#watch(rows.next.bind(rows));
      return rows;
    }) as StatementSync['iterate'];
    return statement;
  }

  /** @throws StatusError DATA_LOSS when the database is damaged; all else that `work` throws. */
  #watch<A extends unknown[], R>(work: (...values: A) => R): (...values: A) => R {
    return (...values) => {
      if (this.#damage !== undefined) throw this.#damage;
      try {
        return work(...values);
      } catch (error) {
        const code = resultCode(error);
        if (code !== SQLITE.corrupt && code !== SQLITE.notADatabase) throw error;
        this.#damage = new StatusError(status.DATA_LOSS, `${this.#name} ${DAMAGED}`);
        this.#report(this.#damage);
        throw this.#damage;
      }
    };
  }
}
