// Logins of servers as files that only their owner can read: for one machine.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenVault } from '../../../contract/tokenVault.ts';
import { RetryableError } from '../../../core/errors.ts';
import { readLogin } from './storedLogin.ts';

/** A file is always the newest version. */
const VERSION = 'file';

/** @param folder is created with the first login. */
export function createFileVault(folder: string): TokenVault {
  const fileOf = (server: string) => join(folder, `${encodeURIComponent(server)}.json`);
  return {
    async read(server) {
      const text = await readFile(fileOf(server), 'utf8').catch(() => '');
      const login = readLogin(text);
      return login && { login, version: VERSION };
    },
    async write(server, login) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // A crash leaves the old file or the new one, never a part.
        const part = `${fileOf(server)}.${process.pid}.part`;
        await writeFile(part, JSON.stringify(login), { mode: 0o600 });
        await rename(part, fileOf(server));
        return VERSION;
      } catch (cause) {
        const message = `the login of "${server}" could not be stored in ${folder}`;
        throw new RetryableError('TOOL_SERVER_UNAVAILABLE', message, { cause });
      }
    },
  };
}
