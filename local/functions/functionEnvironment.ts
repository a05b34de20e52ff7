// The environment of a function with a process of its own: only its own settings, as on Cloud Run.

import { SERVICES, type ServiceName } from '../../functions/manifest.ts';
import { serviceVariables } from '../../functions/serviceVariables.ts';
import { configVariables } from '../../shared/config/configVariables.ts';
import { readConfigFolder } from '../../shared/environment.ts';
import type { Environment } from '../processes/childProcess.ts';

/** Variables for Node, the user and the network of this machine. On Cloud Run the platform sets them. */
const MACHINE_VARIABLES =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|NODE_\w+|SSL_CERT_\w+|(?:https?|no|grpc|all)_proxy)$/i;
/** Variables by which Google's libraries find credentials and detect the platform. */
const GOOGLE_VARIABLES =
  /^(?:GOOGLE_APPLICATION_CREDENTIALS|CLOUDSDK_CONFIG|GCE_METADATA_\w+|METADATA_SERVER_DETECTION|K_SERVICE|K_REVISION)$/;

/**
 * The part of `env` for a service: its own settings, and the variables that it uses of the configuration that
 * `env` names, as on Cloud Run; beside them the variables of this machine.
 */
export function functionEnvironment(name: ServiceName, env: Environment): Environment {
  const { settings, secrets, optionalSecrets } = serviceVariables(
    name,
    configVariables(readConfigFolder(env)),
  );
  const own = new Set([...SERVICES[name].settings, ...settings, ...secrets, ...optionalSecrets]);
  const isIncluded = (variable: string) =>
    own.has(variable) || MACHINE_VARIABLES.test(variable) || GOOGLE_VARIABLES.test(variable);
  return Object.fromEntries(Object.entries(env).filter(([variable]) => isIncluded(variable)));
}
