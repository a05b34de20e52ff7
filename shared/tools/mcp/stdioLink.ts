// An MCP server as a process of this machine.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StdioServerConfig } from '../../contract/mcpServer.ts';
import { ANSWER_LIMIT } from '../http/responseLimit.ts';
import type { Link, LinkState } from './link.ts';
import { createProcessTransport } from './processTransport.ts';
import { LIST_LIMIT } from './toolList.ts';

/** Those that are not removed yet. */
const homes = new Set<PrivateHome>();

/** Characters of a server's standard error that are kept, to explain why it did not start. */
const STDERR_CHARACTERS = 4_000;
/** Characters that are dropped of a single line that was cut. */
const LONGEST_SECRET = 1_000;

/** Prepares the process, which starts when the client connects; closing the link removes its home. */
export async function stdioLink(config: StdioServerConfig): Promise<Link> {
  const ownHome =
    config.home === 'inherit' || config.env.HOME !== undefined ? undefined : createPrivateHome();
  const env = { ...config.env, ...(ownHome && { HOME: ownHome.path }) };
  const state: LinkState = { isListing: false, isCalling: false };
  let stderr = '';
  const transport = await createProcessTransport(
    { ...config, env },
    {
      limit: () => (state.isListing && !state.isCalling ? LIST_LIMIT : ANSWER_LIMIT),
      onTooLong(limit) {
        state.tooLong = limit;
      },
      onStderr(text) {
        stderr = keepEnd(stderr + text);
      },
    },
  );
  return {
    state,
    transport,
    stderr: () => stderr,
    endSession: async () => {},
    cleanUp: () => ownHome?.remove(),
    kind: () => 'process',
    kill() {
      const { pid } = transport;
      if (pid === null) return;
      try {
        process.kill(pid);
      } catch {
        // It has ended already.
      }
    },
  };
}

/** The end of the output. The rest of a line that was cut is dropped: it can start with half a secret. */
export function keepEnd(text: string): string {
  if (text.length <= STDERR_CHARACTERS) return text;
  const end = text.slice(-STDERR_CHARACTERS);
  const nextLine = end.indexOf('\n') + 1;
  return nextLine > 0 && nextLine < end.length ? end.slice(nextLine) : end.slice(LONGEST_SECRET);
}

/** A folder that only the current user can enter. */
interface PrivateHome {
  /** Absolute path of the folder. */
  path: string;
  /** Removes the folder and its contents. Never throws, and can be called twice. */
  remove(): void;
}

/** Makes a folder (0700) in the temporary folder, removed at the process's end unless killed. */
function createPrivateHome(): PrivateHome {
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
