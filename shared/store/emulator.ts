// What Google's clients need to be given for an emulator, beside the variable in which they find its address themselves.

import { type Emulator, emulatorOf } from '../environment.ts';

/**
 * Client settings when this process's environment names an emulator of `service`, else none. An emulator cannot be asked
 * which universe it belongs to; asking costs time and prints a warning.
 */
export function emulatorSettings(service: Emulator): object {
  if (emulatorOf(service, process.env) === undefined) return {};
  return { clientOptions: { universe_domain: 'googleapis.com' } };
}
