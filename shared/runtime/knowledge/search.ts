// Runs calls of the built-in tool `search`.

import type { ToolCall } from '../../contract/tools.ts';
import { errorMessage, InquestError } from '../../errors.ts';
import { MAX_SEARCH_LIMIT } from '../../prompt/builtInTools.ts';
import { paths, sessionType } from '../../schema/documents.ts';
import type { Knowledge } from '../../schema/knowledge.ts';
import type { Session } from '../../schema/session.ts';
import { describeResult, QUERY_HELP } from '../../search/describeResult.ts';
import { parseQuery } from '../../search/parseQuery.ts';
import { runQuery } from '../../search/runQuery.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { lookupMessage } from '../chat/lookupMessage.ts';
import { parseMessageKey } from '../chat/messageKey.ts';
import type { RuntimeDeps } from '../deps.ts';
import type { IterationContext } from '../iteration/context.ts';
import { embedWithin } from '../tokens/embedWithin.ts';
import { type BuiltInAnswer, refuse } from './builtInAnswer.ts';

/** What the knowledge base says; what cannot be asked is an answer that says why. Only an abort throws. */
export async function runSearch(
  call: ToolCall,
  { held, ledger, deps }: IterationContext,
  signal: AbortSignal,
): Promise<BuiltInAnswer> {
  const { query, input, limit = undefined } = parseCallArguments(call.arguments);
  const text = query ?? input;
  if (typeof text !== 'string') return refuse(`"query" must be a text. ${QUERY_HELP}`);
  if (limit !== undefined && !isLimit(limit))
    return refuse(`"limit" must be a whole number from 1 to ${MAX_SEARCH_LIMIT}.`);
  const parsed = parseQuery(text, limit);
  if (!parsed.ok) return refuse(parsed.message);
  const { store, clock } = deps;
  let tokens = 0;
  const embed = deps.embed && embedWithin(deps.embed, ledger, (used) => (tokens += used));
  try {
    const session = await store.get(paths.session(held.current().sessionId), sessionType);
    if (session === undefined) return refuse('The session is gone, and with it what may be read.');
    const { tenantId, userId } = session.value;
    const now = clock.now();
    const readOther = (key: string) => readMessage(key, session.value, deps);
    const searched = { store, embed, now, signal, readOther };
    const result = await runQuery(parsed.query, { tenantId, userId }, searched);
    return { content: describeResult(result), isError: false, ...(tokens > 0 && { tokens }) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof InquestError)) throw error;
    const content = `The knowledge base could not be asked: ${errorMessage(error)}`;
    return { content, isError: true, noAnswer: true };
  }
}

function isLimit(limit: unknown): limit is number {
  return Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MAX_SEARCH_LIMIT;
}

/** A message of the agent's own session, which its conversation may repeat shortened, with this key. */
async function readMessage(
  key: string,
  { sessionId, tenantId, userId }: Session,
  { store }: Pick<RuntimeDeps, 'store'>,
): Promise<Knowledge | undefined> {
  if (parseMessageKey(key)?.sessionId !== sessionId) return undefined;
  const message = await lookupMessage(store, tenantId, key);
  if (message === undefined) return undefined;
  const { role, text, createdAt } = message;
  return {
    tenantId,
    key,
    kind: 'message',
    title: role === 'user' ? 'a question of this session' : 'an answer of this session',
    text,
    links: [],
    labels: {},
    session: null,
    trigrams: [],
    embedding: null,
    userId,
    updatedBy: role,
    updatedAt: createdAt,
    expireAt: null,
  };
}
