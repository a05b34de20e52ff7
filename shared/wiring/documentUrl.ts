// The addresses of documents in the Firestore console.

import { databaseOf, projectIdOf } from '../environment.ts';
import { emulatorOf } from '../store/emulator.ts';

/**
 * Returns the function that gives the address of a document (`sessions/2026-11-24-…`) in the Firestore console of the
 * project; undefined with an emulator, which has no console. The form of the address is the one that the console shows.
 */
export function documentUrls(env: NodeJS.ProcessEnv): ((path: string) => string) | undefined {
  if (emulatorOf('firestore', env) !== undefined) return undefined;
  const project = encodeURIComponent(projectIdOf(env));
  const named = databaseOf(env);
  const database = named === undefined || named === '(default)' ? '-default-' : named;
  return (path) => {
    const data = path.split('/').map(encodeURIComponent).join('/');
    return `https://console.cloud.google.com/firestore/databases/${database}/data/panel/${data}?project=${project}`;
  };
}
