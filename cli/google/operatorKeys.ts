// The keys of an installation for commands that work on its database: from the environment, from this machine
// beside an emulator, else from Secret Manager with the rights of the operator.

import { composeSecretId } from '../../shared/contract/resourceIds.ts';
import { KEY_SECRETS, SIGNING_KEY, type Sign } from '../../shared/core/contract/signatures.ts';
import { errorMessage } from '../../shared/core/errors.ts';
import { readInstallationName, readProjectId } from '../../shared/environment.ts';
import { createMacSigner } from '../../shared/kits/access/macs.ts';
import { createSigner } from '../../shared/kits/access/signatures.ts';
import { openKeySigner, openSigner } from '../../shared/wiring/openKeys.ts';
import { SECRET_MANAGER } from './addresses.ts';
import { openGoogleApi } from './googleApi.ts';

const TIMEOUT_MS = 30_000;
/** The default of `deploy --name`. */
const DEFAULT_NAME = 'inquest';

/** Signs decisions of commands. The key is read for the first decision. */
export function operatorSigner(env: NodeJS.ProcessEnv): Sign {
  return signLater(
    async () =>
      openSigner(env) ??
      createSigner(await readSecret(SIGNING_KEY, env, 'ask the deployed API instead (--url)')),
  );
}

/** Signs API keys of commands. The secret is read for the first key. */
export function operatorKeySigner(env: NodeJS.ProcessEnv): Sign {
  const otherwise = '`inquest deploy` creates it, and your account needs roles/secretmanager.secretAccessor';
  return signLater(
    async () => openKeySigner(env) ?? createMacSigner(await readSecret(KEY_SECRETS, env, otherwise)),
  );
}

function signLater(open: () => Promise<Sign>): Sign {
  let opening: Promise<Sign> | undefined;
  return async (statement) => {
    opening ??= open();
    return (await opening)(statement);
  };
}

/**
 * The newest value of a secret of the installation.
 * @param otherwise what else helps than to set the variable.
 * @throws Error with a remedy when the caller cannot read it, or when there is none.
 */
async function readSecret(variable: string, env: NodeJS.ProcessEnv, otherwise: string): Promise<string> {
  const project = readProjectId(env);
  const secret = `projects/${project}/secrets/${composeSecretId(variable, readInstallationName(env) ?? DEFAULT_NAME)}`;
  const remedy = `${otherwise}, or set ${variable}`;
  const google = openGoogleApi(project, AbortSignal.timeout(TIMEOUT_MS));
  const found = await google
    .find<{ payload?: { data?: string } }>({ url: `${SECRET_MANAGER}/${secret}/versions/latest:access` })
    .catch((error: unknown) => {
      throw new Error(`${secret} could not be read: ${errorMessage(error)}. ${remedy}`, { cause: error });
    });
  const value = Buffer.from(found?.payload?.data ?? '', 'base64')
    .toString('utf8')
    .trim();
  if (value === '') throw new Error(`${secret} has no version: ${remedy}`);
  return value;
}
