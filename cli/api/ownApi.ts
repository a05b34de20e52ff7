// The HTTP API in this process, without a server: requests are function calls.

import { userInfo } from 'node:os';
import { createApi } from '../../shared/api/createApi.ts';
import { configFolderOf } from '../../shared/environment.ts';
import { DEFAULT_TENANT } from '../../shared/schema/session.ts';
import { createCommandServices } from '../../shared/wiring/commandServices.ts';
import { type ApiClient, type ApiOptions, createClient, inTenant } from './apiClient.ts';

const BASE = new URL('http://127.0.0.1');

/**
 * The API on the database that the environment names, with the role of an admin. Trusts the caller: anyone with database
 * access can act for any tenant and user.
 */
export function openOwnApi(
  { tenant = DEFAULT_TENANT, by, user = by, config }: ApiOptions & { config?: string | undefined },
  database: 'cloud' | 'memory',
): { api: ApiClient; close(): Promise<void> } {
  const folder = config ?? configFolderOf(process.env);
  const { deps, where, close } = createCommandServices(process.env, folder, database);
  const caller = {
    tenantId: tenant,
    name: by ?? userInfo().username,
    userId: user ?? null,
    role: 'admin',
  } as const;
  let failure: unknown;
  const app = createApi(deps, {
    access: async () => caller,
    onFailure: (error) => {
      failure = error;
    },
  });
  const api = createClient({
    base: BASE,
    where: inTenant(where, tenant),
    mayLoseAnswers: false,
    async send(target, init) {
      const response = await app.request(target.href, init);
      // A remote caller gets a generic message instead.
      if (response.status === 500) throw failure;
      return response;
    },
  });
  return { api, close };
}
