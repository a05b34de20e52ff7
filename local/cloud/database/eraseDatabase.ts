// Erases a database: removes its files unless a process has it open.

import { existsSync, rmSync } from 'node:fs';
import { checkErasable } from './databaseFile.ts';

/** Suffixes of the files beside the database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Removes a database of the local cloud with all it holds, of whatever format; nothing when it is not there.
 * @throws DatabaseFileError when a process has it open, or it is something else: that is not for us to remove.
 */
export function eraseDatabase(file: string): void {
  if (existsSync(file)) checkErasable(file);
  for (const suffix of SUFFIXES) rmSync(`${file}${suffix}`, { force: true });
}
