// Begins anew: removes the files of a database that no process has open.

import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's result code for a database that is locked (https://www.sqlite.org/rescode.html#busy). */
const BUSY = 5;
/** What SQLite keeps beside the file. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Removes a database with all it holds, also one that cannot be read.
 * @throws Error when a process has it open.
 */
export function eraseDatabase(file: string): void {
  if (isOpen(file)) throw new Error(`${file} is in use: end the system that runs on it first`);
  for (const suffix of SUFFIXES) rmSync(`${file}${suffix}`, { force: true });
}

function isOpen(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const sql = new DatabaseSync(file);
    try {
      sql.exec('BEGIN EXCLUSIVE');
    } finally {
      sql.close();
    }
    return false;
  } catch (error) {
    return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
  }
}
