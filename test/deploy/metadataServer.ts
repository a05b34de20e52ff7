// The metadata server of a Cloud Run instance: Google's libraries get the account's tokens from it.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { boundPort } from '../../local/processes/ports.ts';

const TOKEN = /^\/computeMetadata\/v1\/instance\/service-accounts\/(?:default|[^/]+)\/token/;

/** The access token of an account. It has no meaning outside of a test. */
export const accessTokenOf = (account: string): string => `access-token-of-${account}`;

/** Starts a metadata server. @returns its `host:port`. */
export async function startMetadataServer(account: string): Promise<{ host: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const isFlavored = request.headers['metadata-flavor'] === 'Google';
    response.setHeader('metadata-flavor', 'Google');
    if (!isFlavored || !TOKEN.test(request.url ?? ''))
      return void response.writeHead(isFlavored ? 404 : 403).end();
    response.setHeader('content-type', 'application/json');
    const token = { access_token: accessTokenOf(account), expires_in: 3599, token_type: 'Bearer' };
    response.end(JSON.stringify(token));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    host: `127.0.0.1:${boundPort(server)}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
