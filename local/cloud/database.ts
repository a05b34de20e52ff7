// The one SQLite database of the local cloud: documents and messages, in memory or in a file.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A database whose statements all run on this thread, one after another. */
export interface CloudDatabase {
  readonly sql: DatabaseSync;
  /**
   * Runs `work`, whose changes are stored all or not at all. It must not wait for anything; what it throws is thrown.
   * What returns is stored, also when the process is killed the next moment.
   */
  atomically<T>(work: () => T): T;
  close(): void;
}

/**
 * Opens a database.
 * @param file its path; the folder is made. Without it everything is in memory and gone at the end.
 * @throws Error when another process has it open, or it is no database of the local cloud.
 */
export function openDatabase(file?: string): CloudDatabase {
  if (file !== undefined) mkdirSync(dirname(file), { recursive: true });
  const sql = new DatabaseSync(file ?? ':memory:');
  // One process writes, so the lock is held for good. The log survives SIGKILL of this process as it is; a power cut may
  // lose the last commits, never half of one.
  sql.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  return {
    sql,
    atomically(work) {
      sql.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        sql.exec('COMMIT');
        return result;
      } catch (error) {
        sql.exec('ROLLBACK');
        throw error;
      }
    },
    close: () => sql.close(),
  };
}
