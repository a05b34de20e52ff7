// Finds the programs of `demo prometheus`.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Names of each program: Debian's package names Alertmanager differently. */
const NAMES = {
  prometheus: ['prometheus'],
  alertmanager: ['prometheus-alertmanager', 'alertmanager'],
} as const;

const ADVICE = `\
install them and try again:
  Debian, Ubuntu   sudo apt-get install prometheus prometheus-alertmanager
  macOS            brew install prometheus, and alertmanager from https://prometheus.io/download
  elsewhere        https://prometheus.io/download; both programs must be on the PATH`;

type Programs = Record<keyof typeof NAMES, string>;

/** Finds both programs on the PATH. @throws Error that names the missing ones and where to get them. */
export function findPrograms(env: NodeJS.ProcessEnv): Programs {
  const found = Object.entries(NAMES).map(
    ([program, names]) => [program, findOnPath(names, env.PATH)] as const,
  );
  const missing = found.flatMap(([program, path]) => (path === undefined ? [program] : []));
  if (missing.length === 0) return Object.fromEntries(found) as Programs;
  throw new Error(
    `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not installed here; ${ADVICE}`,
  );
}

function findOnPath(names: readonly string[], path = ''): string | undefined {
  return path
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
