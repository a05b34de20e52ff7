// The known names, for an agent that does not exist.

import { ApiError } from '../../../shared/client/apiError.ts';
import { readPages } from '../../../shared/client/readPages.ts';
import { describeExpected } from '../../../shared/text/suggest.ts';
import type { ApiClient } from '../../api/apiClient.ts';
import { UsageError } from '../../process/usageError.ts';

/** For an unknown agent, a UsageError with the known names; otherwise the error itself. */
export async function withSuggestion(error: unknown, name: string, api: ApiClient): Promise<unknown> {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) return error;
  const { agents } = await readPages('agents', (page) => api.get('/v1/agents', page));
  const names = agents.map((agent) => agent.name);
  return new UsageError(
    `there is no agent ${JSON.stringify(name)} in ${api.where}; ${describeExpected(name, names)}`,
  );
}
