// Logins of servers in Secret Manager: each rotated token is a version, and the version before is destroyed.
// A version is read by its number, because `latest` can be older for some time.

import { loginVariable } from '../../../contract/configVariable.ts';
import { composeSecretId } from '../../../contract/resourceIds.ts';
import type { TokenVault, VersionedLogin } from '../../../contract/tokenVault.ts';
import { RetryableError } from '../../../core/errors.ts';
import { asObject, asText } from '../../../text/json.ts';
import { readLogin } from './storedLogin.ts';

const BASE = 'https://secretmanager.googleapis.com/v1';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TIMEOUT_MS = 10_000;

/** Sends a request with Google's credentials. Throws an error with `status` for every answer but 2xx. */
type SecretRequest = (request: { url: string; method: 'GET' | 'POST'; data?: object }) => Promise<unknown>;

interface SecretVaultOptions {
  project: string;
  /** Prefix of the installation's resources; undefined for none. */
  installation: string | undefined;
  /** Default: with Application Default Credentials. */
  request?: SecretRequest;
}

/** Reads and adds versions of the secrets that the Terraform module creates for servers with a login. */
export function createSecretVault({
  project,
  installation,
  request = googleRequest(),
}: SecretVaultOptions): TokenVault {
  const secretOf = (server: string) =>
    `projects/${project}/secrets/${composeSecretId(loginVariable(server), installation)}`;
  return {
    async read(server, version) {
      try {
        return await readVersion(secretOf(server), version ?? 'latest', request);
      } catch (error) {
        const status = readVaultStatus(error);
        // A version that was destroyed after the next was stored, by an instance that noted nothing.
        if (version !== undefined && (status === 400 || status === 404)) return this.read(server);
        if (status === 404) return undefined;
        throw vaultFailure(`the login of "${server}" could not be read`, error);
      }
    },
    async write(server, login, replaced) {
      const url = `${BASE}/${secretOf(server)}`;
      const payload = { data: Buffer.from(JSON.stringify(login)).toString('base64') };
      try {
        const added = await request({ url: `${url}:addVersion`, method: 'POST', data: { payload } });
        if (replaced !== undefined) await destroyVersion(`${url}/versions/${replaced}`, request);
        return cutVersionNumber(asObject(added).name);
      } catch (error) {
        throw vaultFailure(`the login of "${server}" could not be stored`, error);
      }
    },
  };
}

async function readVersion(
  secret: string,
  version: string,
  request: SecretRequest,
): Promise<VersionedLogin | undefined> {
  const url = `${BASE}/${secret}/versions/${version}:access`;
  const { name, payload } = asObject(await request({ url, method: 'GET' }));
  const data = asText(asObject(payload).data) ?? '';
  const login = readLogin(Buffer.from(data, 'base64').toString('utf8'));
  return login && { login, version: cutVersionNumber(name) };
}

/** The token in it was used. If this fails, the version only costs a little. */
async function destroyVersion(version: string, request: SecretRequest): Promise<void> {
  await request({ url: `${version}:destroy`, method: 'POST', data: {} }).catch(() => undefined);
}

/** `7` of `projects/1/secrets/s/versions/7`. */
const cutVersionNumber = (name: unknown): string => asText(name)?.split('/').at(-1) ?? 'latest';

function readVaultStatus(error: unknown): unknown {
  return asObject(asObject(error).response).status ?? asObject(error).status;
}

/** Google's own message can quote the request, which holds the tokens. */
function vaultFailure(what: string, error: unknown): RetryableError {
  const status = readVaultStatus(error);
  const because = typeof status === 'number' ? `HTTP ${status}` : 'no answer';
  return new RetryableError(
    'TOOL_SERVER_UNAVAILABLE',
    `${what} in Secret Manager (${because}); check that the module was applied after the server was configured`,
  );
}

/** Loads google-auth-library with the first request. */
function googleRequest(): SecretRequest {
  return async ({ url, method, data }) => {
    const { GoogleAuth } = await import('./googleAuthSdk.ts');
    const auth = new GoogleAuth({ projectId: 'none', scopes: [SCOPE] });
    const client = await auth.getClient();
    const response = await client.request({
      url,
      method,
      ...(data !== undefined && { data }),
      responseType: 'json',
      timeout: TIMEOUT_MS,
    });
    return response.data;
  };
}
