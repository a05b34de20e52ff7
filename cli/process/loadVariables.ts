// Loads variables of a configuration's `.env` locally. Deployed services use Secret Manager.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** A variable with its value: in quotes, over several lines, or to the end of the line. */
const ENTRY = /^([ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*)('[^']*'|"[^"]*"|`[^`]*`|[^\n]*)/gm;

/** Adds the variables of FOLDER/.env to `env`. Variables that are set already win; empty ones are ignored. */
export function loadVariables(folder: string, env: NodeJS.ProcessEnv): void {
  const file = join(folder, '.env');
  if (!existsSync(file)) return;
  for (const [name, value] of Object.entries(parseVariables(readFileSync(file, 'utf8'))))
    if (value !== '' && (env[name] === undefined || env[name] === '')) env[name] = value;
}

/**
 * The variables of a file `.env`. As for a shell, `#` starts a comment only at the start of a word: a
 * password can have one. Node ends each value without quotes there.
 */
export function parseVariables(text: string): Record<string, string> {
  const quoted = text.replaceAll('\r\n', '\n').replace(ENTRY, (line, head: string, value: string) => {
    const [kept = ''] = /^(?:[^\s#]|[ \t]+[^\s#]|#)*/.exec(value) ?? [];
    if (!kept.includes('#') || /^['"`#]/.test(value)) return line;
    const quote = ["'", '`', '"'].find((one) => !kept.includes(one)) ?? '';
    return `${head}${quote}${kept}${quote}`;
  });
  return parseEnv(quoted) as Record<string, string>;
}
