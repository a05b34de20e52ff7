// The environment of a function with a process of its own: only its own settings, as on Cloud Run.

import { FUNCTIONS, type FunctionName } from '../../functions/manifest.ts';
import type { Environment } from '../processes/childProcess.ts';

/** Variables for Node, the user and the network of this machine. On Cloud Run the platform sets them. */
const MACHINE_VARIABLES =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|NODE_\w+|SSL_CERT_\w+|(?:https?|no|grpc|all)_proxy)$/i;
/** Variables by which Google's libraries find credentials and detect the platform. */
const GOOGLE_VARIABLES =
  /^(?:GOOGLE_APPLICATION_CREDENTIALS|CLOUDSDK_CONFIG|GCE_METADATA_\w+|METADATA_SERVER_DETECTION|K_SERVICE|K_REVISION)$/;

/**
 * The part of `env` for a function. A function that calls models and tools gets all of it: servers.yaml and the packages of
 * providers can name any variable.
 */
export function functionEnvironment(name: FunctionName, env: Environment): Environment {
  const { needsKeys, settings } = FUNCTIONS[name];
  if (needsKeys) return env;
  const isIncluded = (variable: string) =>
    settings.includes(variable) || MACHINE_VARIABLES.test(variable) || GOOGLE_VARIABLES.test(variable);
  return Object.fromEntries(Object.entries(env).filter(([variable]) => isIncluded(variable)));
}
