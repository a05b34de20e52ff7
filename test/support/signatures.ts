// Signatures of decisions and HMACs of API keys for tests: those of the processes of this machine, so that
// commands and services of a test agree.

import type { Sign, Verify } from '../../shared/core/contract/signatures.ts';
import { openKeySigner, openKeyVerifier, openSigner, openVerifier } from '../../shared/wiring/openKeys.ts';

const LOCAL = { FIRESTORE_EMULATOR_HOST: 'any' };

/** Signs and verifies with the key of this machine. */
export const SIGNATURES = { sign: openSigner(LOCAL), verify: openVerifier(LOCAL) };

/** Signs API keys with the secret of this machine. */
export const signKey = openKeySigner(LOCAL) as Sign;

/** Verifies API keys with the secret of this machine. */
export const verifyKey: Verify = openKeyVerifier(LOCAL);
