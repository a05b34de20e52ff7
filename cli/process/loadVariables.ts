// Loads the variables of a configuration's `.env` on one machine. Deployed services get theirs from Secret Manager.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** Adds the variables of FOLDER/.env to `env`. Variables that are set already win; empty ones are ignored. */
export function loadVariables(folder: string, env: NodeJS.ProcessEnv): void {
  const file = join(folder, '.env');
  if (!existsSync(file)) return;
  for (const [name, value] of Object.entries(parseEnv(readFileSync(file, 'utf8'))))
    if (value !== '' && (env[name] === undefined || env[name] === '')) env[name] = value;
}
