// Settings of Google's clients for emulators.

/**
 * Client settings when `variable` is set, else none. An emulator has no metadata server: without an explicit universe
 * domain the client asks for one, which costs time and prints a warning.
 */
export function emulatorSettings(variable: 'FIRESTORE_EMULATOR_HOST' | 'PUBSUB_EMULATOR_HOST'): object {
  if (!process.env[variable]) return {};
  return { clientOptions: { universe_domain: 'googleapis.com' } };
}
