// Paths as the commands print them.

import { workFile } from '../../shared/projectFiles.ts';

const FOLDER = workFile('/');

/** A path below the folder that commands work in, relative to it. Other paths stay as they are. */
export const shortPath = (path: string): string =>
  path.startsWith(FOLDER) ? path.slice(FOLDER.length) : path;
