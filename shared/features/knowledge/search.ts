// Runs calls of the built-in tool `search`.

import type { FeatureDeps } from '../../contract/featureDeps.ts';
import type { ToolCall } from '../../core/contract/tools.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT } from '../../core/prompts/builtInTools.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { type BuiltInAnswer, refuse } from '../../kits/agents/builtInAnswer.ts';
import { embedWithin } from '../../kits/budgets/embedWithin.ts';
import { parseMessageKey } from '../../kits/views/chat/messageKey.ts';
import { describeResult, QUERY_HELP } from '../../search/describeResult.ts';
import { parseQuery } from '../../search/parseQuery.ts';
import { type QueryResult, runQuery } from '../../search/runQuery.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { readMessage } from './readMessage.ts';

/** Searches the knowledge base. If that is impossible, the answer says why. Throws only on abort. */
export async function runSearch(
  call: ToolCall,
  { held, ledger, deps }: Pick<IterationContext, 'held' | 'ledger'> & { deps: RuntimeDeps & FeatureDeps },
  signal: AbortSignal,
): Promise<BuiltInAnswer> {
  const { query, input, limit = DEFAULT_SEARCH_LIMIT } = parseCallArguments(call.arguments);
  const text = query ?? input;
  if (typeof text !== 'string') return refuse(`"query" must be a text. ${QUERY_HELP}`);
  if (!isLimit(limit)) return refuse(`"limit" must be a whole number from 1 to ${MAX_SEARCH_LIMIT}.`);
  const parsed = parseQuery(text, limit);
  if (!parsed.ok) return refuse(parsed.message);
  const { store, clock } = deps;
  let tokens = 0;
  const embed = deps.embed && embedWithin(deps.embed, ledger, (used) => (tokens += used));
  try {
    const session = await store.get(paths.session(held.current().sessionId), sessionType);
    if (session === undefined) return refuse('The session was deleted, so nothing can be searched.');
    const { tenantId, userId } = session.value;
    const now = clock.now();
    const { sessionId } = session.value;
    const readOther = (key: string) =>
      parseMessageKey(key)?.sessionId === sessionId
        ? readMessage(key, { tenantId, userId }, store)
        : Promise.resolve(undefined);
    const searched = { store, embed, now, signal, readOther };
    const result = await runQuery(parsed.query, { tenantId, userId }, searched);
    const entries = listResultKeys(result);
    return { content: describeResult(result), isError: false, entries, ...(tokens > 0 && { tokens }) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof InquestError)) throw error;
    const content = `The knowledge base could not be searched: ${errorMessage(error)}`;
    return { content, isError: true, noAnswer: true };
  }
}

function listResultKeys(result: QueryResult): string[] {
  switch (result.verb) {
    case 'lookup':
      return result.found.map(({ key }) => key);
    case 'fuzzy':
    case 'search':
      return result.hits.map(({ entry }) => entry.key);
    case 'traverse':
      return result.reached.map(({ entry }) => entry.key);
  }
}

function isLimit(limit: unknown): limit is number {
  return Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MAX_SEARCH_LIMIT;
}
