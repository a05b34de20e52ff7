// An empty home folder for the process of an MCP server: it contains no credentials or settings of the user,
// and everything that the process leaves in it is removed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that only the current user can enter. */
interface PrivateHome {
  /** Absolute path of the folder. */
  path: string;
  /** Removes the folder and its contents. Never throws, and can be called twice. */
  remove(): void;
}

/** Those that are not removed yet. */
const homes = new Set<PrivateHome>();

/** Makes a folder (0700) in the temporary folder, removed at the process's end unless killed. */
export function createPrivateHome(): PrivateHome {
  const path = mkdtempSync(join(tmpdir(), 'inquest-home-'));
  const home: PrivateHome = {
    path,
    remove() {
      homes.delete(home);
      if (homes.size === 0) process.off('exit', removeAll);
      try {
        rmSync(path, { recursive: true, force: true });
      } catch {
        // A process still writes there, or took the permission away: it stays in the temporary folder.
      }
    },
  };
  if (homes.size === 0) process.once('exit', removeAll);
  homes.add(home);
  return home;
}

function removeAll(): void {
  for (const home of homes) home.remove();
}
