// Wires the services of destinations: requests, the process's Google tokens, events on Pub/Sub.

import { mcpServerConfigSchema } from '../config/serverConfig.ts';
import { createHttp } from '../destinations/http.ts';
import type { DestinationServices } from '../destinations/services.ts';
import { readInstallationName, readProjectId } from '../environment.ts';
import { createEventPublisher } from '../store/pubsub/eventPublisher.ts';
import type { GoogleTokens } from '../tools/mcp/auth/googleTokens.ts';

/** Of one event, with all retries of the SDK. */
const PUBLISH_TIMEOUT_MS = 25_000;
/** Tokens with scopes do not depend on the address. */
const GOOGLE_APIS = 'https://www.googleapis.com';

/** The services of a process. They connect at the first use. */
export function destinationServices(env: NodeJS.ProcessEnv): DestinationServices {
  let tokens: Promise<GoogleTokens> | undefined;
  let publish: DestinationServices['publishEvent'] | undefined;
  return {
    http: createHttp(),
    async googleToken(scopes) {
      tokens ??= import('../tools/mcp/auth/googleTokens.ts').then(({ createGoogleTokens }) =>
        createGoogleTokens(),
      );
      const server = mcpServerConfigSchema.parse({
        transport: 'http',
        url: GOOGLE_APIS,
        auth: 'google',
        scopes: [...scopes],
      });
      const provider =
        server.transport === 'http' ? (await tokens).forServer('destinations', server) : undefined;
      return (await provider?.token()) ?? '';
    },
    installation: () => ({ project: readProjectId(env), name: readInstallationName(env) ?? 'inquest' }),
    publishEvent(event) {
      publish ??= createEventPublisher({ timeoutMs: PUBLISH_TIMEOUT_MS });
      return publish(event);
    },
  };
}
