// The environment variables that this project reads itself. The emulators' are in store/emulator.ts; Gemini's
// own are read by its client.

import { OFF_VARIABLE, type Off, pickOff } from './contract/switches.ts';
import { TerminalError } from './core/errors.ts';
import { projectFile } from './projectFiles.ts';

/** With the prefix `demo-`, Google's emulators never access a real project. */
export const DEFAULT_PROJECT = 'demo-inquest';

/**
 * `GOOGLE_CLOUD_PROJECT`, default `demo-inquest`.
 * @throws TerminalError `CONFIG_INVALID` on Cloud Run (`K_SERVICE`) without it: Google does not set it there,
 *   and the default would be the project of another owner.
 */
export function readProjectId(env: NodeJS.ProcessEnv): string {
  if (env.GOOGLE_CLOUD_PROJECT) return env.GOOGLE_CLOUD_PROJECT;
  if (!env.K_SERVICE) return DEFAULT_PROJECT;
  throw new TerminalError(
    'CONFIG_INVALID',
    'GOOGLE_CLOUD_PROJECT is not set: deploy with --set-env-vars=GOOGLE_CLOUD_PROJECT=PROJECT',
  );
}

/** The configuration folder: `INQUEST_CONFIG`; default `config/` at the root or beside the bundle. */
export function readConfigFolder(env: NodeJS.ProcessEnv): string {
  return env.INQUEST_CONFIG || projectFile('config');
}

/**
 * `PUBLIC_URL`, the address of the dashboard for links in messages, without a slash at its end; null without
 * it.
 * @throws TerminalError `CONFIG_INVALID` for a value that is no HTTP address.
 */
export function readPublicUrl({ PUBLIC_URL: given }: NodeJS.ProcessEnv): string | null {
  if (!given) return null;
  const url = URL.parse(given);
  const isPage = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (isPage && url.username === '') return url.href.replace(/\/+$/, '');
  throw new TerminalError(
    'CONFIG_INVALID',
    'PUBLIC_URL is not the address of the dashboard: expected a form such as https://inquest.example.com',
  );
}

/** 4 to 16 characters; Google's names of topics, services and accounts accept it as their start. */
const INSTALLATION_NAME = /^[a-z][a-z0-9-]{2,14}[a-z0-9]$/;
/** The name of a database of Firestore: `(default)`, or 4 to 63 characters. */
const DATABASE_NAME = /^(?:\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$/;

/**
 * `INQUEST_NAME`, the name that the resources of this installation start with, so that one project can have
 * several. Undefined when not set: the resources of one machine, and of a deployment by hand, have no prefix.
 * @throws TerminalError `CONFIG_INVALID` for a name that resources cannot have.
 */
export function readInstallationName(env: NodeJS.ProcessEnv): string | undefined {
  const name = env.INQUEST_NAME || undefined;
  if (name === undefined || INSTALLATION_NAME.test(name)) return name;
  throw new TerminalError(
    'CONFIG_INVALID',
    `INQUEST_NAME is "${name}": expected 4 to 16 lower-case letters, digits and hyphens, with a letter first and no hyphen last`,
  );
}

/**
 * `FIRESTORE_DATABASE`, the database of this installation. Undefined when not set: the project's default
 * database.
 * @throws TerminalError `CONFIG_INVALID` for a name that no database can have.
 */
export function readDatabaseName(env: NodeJS.ProcessEnv): string | undefined {
  const name = env.FIRESTORE_DATABASE || undefined;
  if (name === undefined || DATABASE_NAME.test(name)) return name;
  throw new TerminalError(
    'CONFIG_INVALID',
    `FIRESTORE_DATABASE is "${name}": expected (default), or 4 to 63 lower-case letters, digits and hyphens, with a letter first and no hyphen last`,
  );
}

/** The callers of the API of this process: `local` is the one of one machine, without a login. */
export type ApiCallers = 'local' | 'api' | 'console';

/**
 * The callers that `INQUEST_SERVICE` selects. Beside an emulator they are `local`, unless `INQUEST_ACCESS` is
 * `cloud`: that variable can only add the login of a deployment.
 * @throws TerminalError `CONFIG_INVALID` for other values of `INQUEST_ACCESS`, and without a login or a
 * service.
 */
export function readApiCallers(env: NodeJS.ProcessEnv, hasEmulator: boolean): ApiCallers {
  const { INQUEST_ACCESS: access, INQUEST_SERVICE: service } = env;
  if (access && access !== 'cloud')
    throw new TerminalError(
      'CONFIG_INVALID',
      `INQUEST_ACCESS is "${access}": expected cloud, or no value; it can only add the login of a deployment`,
    );
  if (hasEmulator && !access) return 'local';
  if (service === 'api' || service === 'console') return service;
  throw new TerminalError(
    'CONFIG_INVALID',
    `INQUEST_SERVICE is ${service ? `"${service}"` : 'not set'}: set it to api for programs and webhooks, or to console for people behind Identity-Aware Proxy`,
  );
}

/**
 * The features that system.yaml turned off when this installation was built or started, for services that do
 * not read the configuration.
 */
export const readOff = (env: NodeJS.ProcessEnv): Off => pickOff((env[OFF_VARIABLE] ?? '').split(','));
