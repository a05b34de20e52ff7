// What Google's clients need to be told about an emulator.

/**
 * Client settings when `variable` names an emulator, else none. Against an emulator there is nobody to ask which
 * universe this is; asking costs time and prints a warning.
 */
export function emulatorSettings(variable: 'FIRESTORE_EMULATOR_HOST' | 'PUBSUB_EMULATOR_HOST'): object {
  if (!process.env[variable]) return {};
  return { clientOptions: { universe_domain: 'googleapis.com' } };
}
