// Opens the keys of decisions and the secrets of API keys. On one machine they are in a file of `.inquest/`
// that only its owner can read; the first process that needs them creates it.

import { createHmac } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import {
  KEY_SECRETS,
  SIGNING_KEY,
  type Sign,
  VERIFYING_KEYS,
  type Verify,
} from '../core/contract/signatures.ts';
import { createMacSigner, createMacVerifier } from '../kits/access/macs.ts';
import {
  createSigner,
  createVerifier,
  derivePublicKey,
  generateDecisionKeys,
} from '../kits/access/signatures.ts';
import { createFolder, workFile } from '../projectFiles.ts';
import { EMULATOR_VARIABLES } from '../store/emulator.ts';
import { parseJson } from '../text/json.ts';
import { parseAs } from '../text/zodIssues.ts';

/** The file of the keys on one machine. */
const KEY_FILE = '.inquest/keys.json';
const keyFileSchema = z.object({ decisionKey: z.string().min(1) });

/**
 * Signs decisions with the key that `env` names, beside an emulator with that of this machine. Undefined
 * without a key.
 * @throws TerminalError `CONFIG_INVALID` for an invalid key.
 */
export function openSigner(env: NodeJS.ProcessEnv): Sign | undefined {
  const key = env[SIGNING_KEY] || (isLocal(env) ? readOwnKeys().decisionKey : undefined);
  return key === undefined ? undefined : createSigner(key);
}

/**
 * Verifies decisions with the keys that `env` names, beside an emulator with that of this machine. Without a
 * key, no signature is valid.
 * @throws TerminalError `CONFIG_INVALID` for an invalid key.
 */
export function openVerifier(env: NodeJS.ProcessEnv): Verify {
  const keys = env[VERIFYING_KEYS] || (isLocal(env) ? derivePublicKey(readOwnKeys().decisionKey) : '');
  return createVerifier(keys);
}

/** Signs API keys with the first secret that `env` names, else as `openSigner`. */
export function openKeySigner(env: NodeJS.ProcessEnv): Sign | undefined {
  const secrets = readKeySecrets(env);
  return secrets === undefined ? undefined : createMacSigner(secrets);
}

/** Verifies API keys with the secrets that `env` names, else as `openVerifier`. */
export function openKeyVerifier(env: NodeJS.ProcessEnv): Verify {
  return createMacVerifier(readKeySecrets(env) ?? '');
}

/** The secret of one machine is derived from its key of decisions, so that its file needs no second value. */
function readKeySecrets(env: NodeJS.ProcessEnv): string | undefined {
  if (env[KEY_SECRETS] || !isLocal(env)) return env[KEY_SECRETS] || undefined;
  return createHmac('sha256', readOwnKeys().decisionKey).update('inquest/apiKeys').digest('base64');
}

const isLocal = (env: NodeJS.ProcessEnv): boolean => Boolean(env[EMULATOR_VARIABLES.firestore]);

/** The keys of this machine. Processes that create them at the same time all read those of the first. */
function readOwnKeys(): z.infer<typeof keyFileSchema> {
  const file = workFile(KEY_FILE);
  if (!existsSync(file)) {
    createFolder(dirname(file));
    const part = `${file}.${process.pid}.part`;
    writeFileSync(part, JSON.stringify({ decisionKey: generateDecisionKeys().privateKey }), { mode: 0o600 });
    try {
      linkSync(part, file);
    } catch (error) {
      if (!existsSync(file)) throw error;
    } finally {
      rmSync(part);
    }
  }
  return parseAs(keyFileSchema, parseJson(readFileSync(file, 'utf8')), file);
}
