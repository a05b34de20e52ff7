// Creates the folder of a database file.

import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder that a user names, with its parents. Node's own recursive call never returns below
 * `/proc`.
 * @param mode the rights of the folders that are created.
 * @throws Error of the file system; with the fix for a symbolic link to nothing.
 */
export function createFolder(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) createFolder(dirname(folder), mode);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(
      `${folder} is a symbolic link to a place that does not exist; create it, or remove the link`,
    );
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // A different process can have created it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}
