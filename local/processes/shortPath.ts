// Paths as the commands print them.

import { fileURLToPath } from 'node:url';

const PROJECT_FOLDER = fileURLToPath(new URL('../../', import.meta.url));

/** A path below the project folder, relative to it. Other paths stay as they are. */
export const shortPath = (path: string): string =>
  path.startsWith(PROJECT_FOLDER) ? path.slice(PROJECT_FOLDER.length) : path;
