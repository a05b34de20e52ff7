// What a function finds in its environment when it has a process of its own: as on Cloud Run, its own settings and no others.

import { FUNCTIONS, type FunctionName } from '../../functions/manifest.ts';
import type { Environment } from '../processes/childProcess.ts';

/** What a process needs that runs on this machine: for Node, its user and its network. On Cloud Run the platform sets such. */
const OF_THE_MACHINE =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|NODE_\w+|SSL_CERT_\w+|(?:https?|no|grpc|all)_proxy)$/i;
/** How Google's libraries find credentials, and on which kind of machine they are. */
const OF_GOOGLE =
  /^(?:GOOGLE_APPLICATION_CREDENTIALS|CLOUDSDK_CONFIG|GCE_METADATA_\w+|METADATA_SERVER_DETECTION|K_SERVICE|K_REVISION)$/;

/**
 * The part of `env` that the function is given. One that asks models and runs tools gets all of it: servers.yaml may name
 * any variable, and so may the package of a provider.
 */
export function functionEnvironment(name: FunctionName, env: Environment): Environment {
  const { needsKeys, settings } = FUNCTIONS[name];
  if (needsKeys) return env;
  const isGiven = (variable: string) =>
    settings.includes(variable) || OF_THE_MACHINE.test(variable) || OF_GOOGLE.test(variable);
  return Object.fromEntries(Object.entries(env).filter(([variable]) => isGiven(variable)));
}
