// The emulators of Firestore and Pub/Sub: which variables name them, and what Google's clients need besides.

/** The variables in which Google's own clients look for emulators, each as `host:port`. */
export const EMULATOR_VARIABLES = {
  firestore: 'FIRESTORE_EMULATOR_HOST',
  pubsub: 'PUBSUB_EMULATOR_HOST',
} as const;

/** A service that has an emulator. */
export type Emulator = keyof typeof EMULATOR_VARIABLES;

/** Where the emulator of a service is, as `host:port`; undefined when the real service is meant. Empty counts as not set. */
export function emulatorOf(service: Emulator, env: NodeJS.ProcessEnv): string | undefined {
  return env[EMULATOR_VARIABLES[service]] || undefined;
}

/**
 * That an emulator is named on Cloud Run (`K_SERVICE`), where none can be: the variable was left in a deployment. Undefined
 * when all is well.
 */
export function emulatorOnCloudRun(env: NodeJS.ProcessEnv): string | undefined {
  if (!env.K_SERVICE) return undefined;
  const names = (['firestore', 'pubsub'] as const).filter(
    (service) => emulatorOf(service, env) !== undefined,
  );
  if (names.length === 0) return undefined;
  const variables = names.map((service) => EMULATOR_VARIABLES[service]).join(' and ');
  return `${variables} must not be set on Cloud Run, where there is no emulator: remove it from service ${env.K_SERVICE}`;
}

/** What is wrong with where the environment says that an emulator is; undefined if nothing is, or it says nothing. */
export function emulatorHostFault(service: Emulator, env: NodeJS.ProcessEnv): string | undefined {
  const host = emulatorOf(service, env);
  if (host === undefined || /^(\[[\da-f:]+\]|[\w.-]+):\d{1,5}$/i.test(host)) return undefined;
  return `${EMULATOR_VARIABLES[service]} is "${host}": expected host:port, without http://`;
}

/**
 * Client settings when this process's environment names an emulator of `service`, else none. An emulator cannot be asked
 * which universe it belongs to; asking costs time and prints a warning.
 */
export function emulatorSettings(service: Emulator): object {
  if (emulatorOf(service, process.env) === undefined) return {};
  return { clientOptions: { universe_domain: 'googleapis.com' } };
}
