// Signatures of decisions for tests: those of the processes of this machine, so that commands and services of a test agree.

import { openSigner, openVerifier } from '../../shared/wiring/openKeys.ts';

const LOCAL = { FIRESTORE_EMULATOR_HOST: 'any' };

/** Signs and verifies with the key of this machine. */
export const SIGNATURES = { sign: openSigner(LOCAL), verify: openVerifier(LOCAL) };
