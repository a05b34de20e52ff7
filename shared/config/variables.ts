// Replaces ${NAME} in configuration values from the environment. It runs after the YAML is parsed, so that a
// value cannot change the structure of the file. Values never appear in messages.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the checkout or package; overrides the environment. Example servers start from it. */
const HOME = 'INQUEST_HOME';

type Expansion = { ok: true; text: string } | { ok: false; messages: string[] };

/** `$${` (a literal `${`), `${…}` whole, or a `${` that is never closed. */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}|\$\{/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Replaces `${NAME}` and `${NAME:-default}`. The default also replaces an empty variable, as in a shell.
 * `$${` becomes `${`. `${INQUEST_HOME}` is the folder of the checkout or the package. A variable that is
 * missing or empty and has no default is a fault that names it.
 */
export function expandVariables(text: string, env: NodeJS.ProcessEnv): Expansion {
  const messages: string[] = [];
  const expanded = text.replace(REFERENCE, (whole: string, inner: string | undefined) => {
    if (whole === '$${') return '${';
    const [name = '', ...rest] = (inner ?? '').split(':-');
    if (!NAME.test(name)) {
      messages.push(`holds "\${" that is not \${NAME} or \${NAME:-default}; write $\${ for a literal "\${"`);
      return '';
    }
    const value = name === HOME ? checkoutFolder() : env[name];
    if (value !== undefined && value !== '') return value;
    if (rest.length > 0) return rest.join(':-');
    messages.push(
      `environment variable ${name} is ${value === '' ? 'empty' : 'not set'}; set it, or give a default, as in \${NAME:-default}`,
    );
    return '';
  });
  return messages.length === 0 ? { ok: true, text: expanded } : { ok: false, messages };
}

/** The variables that `expandVariables` would replace in a text, and whether they have a default. */
export function referencedVariables(text: string): { name: string; hasDefault: boolean }[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, inner]) => {
    const [name = '', ...rest] = (inner ?? '').split(':-');
    return NAME.test(name) && name !== HOME ? [{ name, hasDefault: rest.length > 0 }] : [];
  });
}

/** The closest folder above this module with examples; undefined for a bundle without them. */
function checkoutFolder(): string | undefined {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, 'examples'))) return folder;
  return undefined;
}
