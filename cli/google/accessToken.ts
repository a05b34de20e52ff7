// Access tokens of the deployer: Application Default Credentials, as every Google tool finds them.

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** No token depends on the project. Without one the library would look for it, also by running gcloud. */
const NO_PROJECT = 'none';

/**
 * A source of access tokens, which are kept until shortly before they expire. Needs no gcloud.
 * @returns the source. It throws Google's error when there are no credentials, or when Google refuses them.
 */
export function createAccessTokens(): () => Promise<string> {
  const opening = import('../../shared/tools/mcp/auth/googleAuthSdk.ts').then(
    ({ GoogleAuth }) => new GoogleAuth({ projectId: NO_PROJECT, scopes: [SCOPE] }),
  );
  return async () => (await (await opening).getAccessToken()) ?? '';
}
