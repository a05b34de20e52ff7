// The emulators of Firestore and Pub/Sub: their variables, and settings of Google's clients.

/** The variables in which Google's own clients look for emulators, each as `host:port`. */
export const EMULATOR_VARIABLES = {
  firestore: 'FIRESTORE_EMULATOR_HOST',
  pubsub: 'PUBSUB_EMULATOR_HOST',
} as const;

/** A service that has an emulator. */
export type Emulator = keyof typeof EMULATOR_VARIABLES;

/**
 * The address of the emulator of a service, as `host:port`; undefined for the real service. Empty counts as
 * not set.
 */
export function readEmulatorAddress(service: Emulator, env: NodeJS.ProcessEnv): string | undefined {
  return env[EMULATOR_VARIABLES[service]] || undefined;
}

/**
 * The error for an emulator variable on Cloud Run (`K_SERVICE`), where no emulator runs: the variable was
 * left in a deployment. Undefined without a fault.
 */
export function emulatorOnCloudRun(env: NodeJS.ProcessEnv): string | undefined {
  if (!env.K_SERVICE) return undefined;
  const names = (['firestore', 'pubsub'] as const).filter(
    (service) => readEmulatorAddress(service, env) !== undefined,
  );
  if (names.length === 0) return undefined;
  const variables = names.map((service) => EMULATOR_VARIABLES[service]).join(' and ');
  return `${variables} must not be set on Cloud Run, where there is no emulator: remove it from service ${env.K_SERVICE}`;
}

/** The fault of an emulator's address in the environment; undefined without a fault or without an address. */
export function emulatorHostFault(service: Emulator, env: NodeJS.ProcessEnv): string | undefined {
  const host = readEmulatorAddress(service, env);
  if (host === undefined || /^(\[[\da-f:]+\]|[\w.-]+):\d{1,5}$/i.test(host)) return undefined;
  return `${EMULATOR_VARIABLES[service]} is "${host}": expected host:port, without http://`;
}

/**
 * Client settings when this process's environment names an emulator of `service`, else none. An emulator
 * cannot be asked which universe it belongs to; asking costs time and prints a warning.
 */
export function emulatorSettings(service: Emulator): object {
  if (readEmulatorAddress(service, process.env) === undefined) return {};
  return { clientOptions: { universe_domain: 'googleapis.com' } };
}
