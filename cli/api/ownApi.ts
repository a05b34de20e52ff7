// The HTTP API in this process, without a server: requests are function calls.

import { userInfo } from 'node:os';
import { loadOff } from '../../shared/config/switches.ts';
import { DEFAULT_TENANT } from '../../shared/core/schema/session.ts';
import { readConfigFolder } from '../../shared/environment.ts';
import { createApi } from '../../shared/lists/createApi.ts';
import { createCommandServices } from '../../shared/wiring/commandServices.ts';
import { operatorSigner } from '../google/operatorKeys.ts';
import type { ApiOptions } from '../options/commandOptions.ts';
import { type ApiClient, inTenant, openClient } from './apiClient.ts';

interface OwnApiOptions extends ApiOptions {
  /** The configuration folder. Default: the one that the environment names. */
  config?: string | undefined;
  /** Default: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** `memory`: an empty one, for requests about the configuration. */
  database: 'cloud' | 'memory';
  /** Runs before each changing request, which is not sent if it throws. Default: nothing. */
  beforePost?: () => Promise<void>;
}

/**
 * The API on the database that the environment names, with the role of an admin. Trusts the caller: anyone
 * with database access can act for any tenant and user.
 */
export function openOwnApi({
  tenant = DEFAULT_TENANT,
  by,
  user = by,
  config,
  env = process.env,
  database,
  beforePost = async () => {},
}: OwnApiOptions): { api: ApiClient; close(): Promise<void> } {
  const folder = config ?? readConfigFolder(env);
  const { deps, where, close } = createCommandServices(env, folder, operatorSigner(env), database);
  const caller = {
    tenantId: tenant,
    name: by ?? userInfo().username,
    userId: user ?? null,
    role: 'admin',
    hasDatabase: true,
  } as const;
  let failure: unknown;
  const app = createApi(deps, {
    off: loadOff(folder),
    access: async () => caller,
    onFailure: (error) => {
      failure = error;
    },
  });
  const api = openClient(inTenant(where, tenant), {
    base: 'http://127.0.0.1',
    async send(address, init) {
      if (init.method === 'POST') await beforePost();
      const response = await app.request(address, init);
      // A remote caller gets a generic message instead.
      if (response.status === 500) throw failure;
      return response;
    },
  });
  return { api, close };
}
