// The environment variables that this project reads itself. The emulators' are in store/emulator.ts; Gemini's own are read
// by its client.

import { TerminalError } from './errors.ts';
import { projectFile } from './projectFiles.ts';

/** With the prefix `demo-`, Google's emulators never access a real project. */
export const DEFAULT_PROJECT = 'demo-inquest';

/**
 * `GOOGLE_CLOUD_PROJECT`, default `demo-inquest`.
 * @throws TerminalError `CONFIG_INVALID` on Cloud Run (`K_SERVICE`) without it: Google does not set it there, and the
 *   default would be the project of another owner.
 */
export function projectIdOf(env: NodeJS.ProcessEnv): string {
  if (env.GOOGLE_CLOUD_PROJECT) return env.GOOGLE_CLOUD_PROJECT;
  if (!env.K_SERVICE) return DEFAULT_PROJECT;
  throw new TerminalError(
    'CONFIG_INVALID',
    'GOOGLE_CLOUD_PROJECT is not set: deploy with --set-env-vars=GOOGLE_CLOUD_PROJECT=PROJECT',
  );
}

/** The configuration folder: `INQUEST_CONFIG`, default `config/` at the project's root or beside the deployed bundle. */
export function configFolderOf(env: NodeJS.ProcessEnv): string {
  return env.INQUEST_CONFIG || projectFile('config');
}
