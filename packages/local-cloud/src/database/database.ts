// The one SQLite database of the local cloud: documents and messages, in memory or in a file.

import type { DatabaseSync } from 'node:sqlite';
import { StatusError, status } from '../protocol/status.ts';
import { isDiskFull, openDatabaseFile } from './databaseFile.ts';
import { WatchedDatabase } from './watchedDatabase.ts';

/** A database whose statements all run on this thread, one after another. */
export interface CloudDatabase {
  /** The connection. Write only within `atomically`. */
  readonly sql: DatabaseSync;
  /**
   * Runs `work` in a transaction. It must be synchronous; its errors are rethrown after a rollback. The
   * changes are stored when this returns, also if the process is killed afterwards.
   * @throws StatusError RESOURCE_EXHAUSTED when the disk is full. Nothing is changed then. DATA_LOSS when the
   *   database is damaged: no statement runs on it after that.
   */
  atomically<T>(work: () => T): T;
  /** Resolves with the error that all statements throw after damage was found. Never rejects. */
  damaged: Promise<StatusError>;
  /** Closes the connection. Statements throw afterwards. */
  close(): void;
}

/**
 * Opens a database.
 * @param file its path; it and its folder are made when they are not there. Without it everything is in
 *   memory and gone at the end.
 * @throws DatabaseFileError when the file cannot be used: another process uses it, or its format or rights
 * are wrong.
 */
export function openDatabase(file?: string): CloudDatabase {
  const name = file ?? 'the database in memory';
  const sql = file === undefined ? new WatchedDatabase(':memory:', name) : openDatabaseFile(file);
  return {
    sql,
    damaged: sql.damaged,
    atomically(work) {
      sql.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        sql.exec('COMMIT');
        return result;
      } catch (error) {
        // SQLite has ended the transaction itself after some errors.
        if (sql.isTransaction) sql.exec('ROLLBACK');
        if (!isDiskFull(error)) throw error;
        throw new StatusError(status.RESOURCE_EXHAUSTED, `no space left for ${name}: free some on its disk`);
      }
    },
    close: () => sql.close(),
  };
}
