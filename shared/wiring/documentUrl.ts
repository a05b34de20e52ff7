// The addresses of documents in the Firestore console.

import { readDatabaseName, readProjectId } from '../environment.ts';
import { readEmulatorAddress } from '../store/emulator.ts';

/**
 * Returns the function that gives the address of a document (`sessions/2026-11-24-…`) in the Firestore
 * console of the project; undefined with an emulator, which has no console. The form of the address is the
 * one that the console shows.
 */
export function documentUrls(env: NodeJS.ProcessEnv): ((path: string) => string) | undefined {
  if (readEmulatorAddress('firestore', env) !== undefined) return undefined;
  const project = encodeURIComponent(readProjectId(env));
  const named = readDatabaseName(env);
  const database = named === undefined || named === '(default)' ? '-default-' : named;
  return (path) => {
    const data = path.split('/').map(encodeURIComponent).join('/');
    return `https://console.cloud.google.com/firestore/databases/${database}/data/panel/${data}?project=${project}`;
  };
}
