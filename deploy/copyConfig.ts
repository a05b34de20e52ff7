// Copies a configuration into the folder of a deployment.

import { cp } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * Copies a configuration without hidden files: `.env` has the secrets of one machine, and a deployment must not contain them.
 * @param to is created.
 */
export function copyConfig(from: string, to: string): Promise<void> {
  return cp(from, to, {
    recursive: true,
    filter: (path) => path === from || !basename(path).startsWith('.'),
  });
}
