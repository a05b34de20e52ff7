// The environment variables this project reads itself. The emulators' and Gemini's own are read by their clients.

import { fileURLToPath } from 'node:url';

/** The `demo-` prefix keeps Google's emulators from ever looking for a real project. */
export const DEFAULT_PROJECT = 'demo-inquest';

/** `GOOGLE_CLOUD_PROJECT`, default `demo-inquest`. */
export function projectIdOf(env: NodeJS.ProcessEnv): string {
  return env.GOOGLE_CLOUD_PROJECT || DEFAULT_PROJECT;
}

/** `INQUEST_CONFIG`, a folder; default `config/` at the project's root, or beside the deployed bundle. */
export function configFolderOf(env: NodeJS.ProcessEnv): string {
  return env.INQUEST_CONFIG || fileURLToPath(new URL('../config', import.meta.url));
}
