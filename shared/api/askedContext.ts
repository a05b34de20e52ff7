// Reads the headers of a request with a question: agent, model, program, and whether it is an evaluation.

import type { Context } from 'hono';
import { TerminalError } from '../errors.ts';
import { chooseChatAgent } from '../runtime/features/chat/chooseChatAgent.ts';
import { contextOfHeaders, HEADERS } from '../runtime/tenants/contextHeaders.ts';
import type { PlannedAgent } from '../schema/agent.ts';
import type { RequestContext } from '../schema/session.ts';
import { Problem } from './problem.ts';
import type { Caller, RequestDeps } from './route.ts';

/** The values in the headers. */
export interface AskedContext {
  /** The id of a session, or one of the client's own; null for none. */
  sessionId: string | null;
  /** Null when the request names nothing of it. */
  context: RequestContext | null;
}

/**
 * Reads the headers. `Cache-Control: no-cache` has the agents of the store read again for this request.
 * @throws Problem `REQUEST_INVALID` that names the header and the fix.
 */
export function askedContext(
  context: Context,
  { tenantId, userId }: Caller,
  { storedAgents }: Pick<RequestDeps, 'storedAgents'>,
): AskedContext {
  if (/\bno-cache\b/i.test(context.req.header('cache-control') ?? '')) storedAgents?.clear();
  const identity = { tenantId, userId: userId ?? 'nobody' };
  const reading = contextOfHeaders(context.req.header(), { identity });
  if (!reading.ok) throw headerProblem(reading.fault);
  const { sessionId, agent, model, clientId, isEval } = reading.context;
  const isNothing = agent === null && model === null && clientId === null && !isEval;
  return { sessionId, context: isNothing ? null : { agent, model, clientId, isEval } };
}

/**
 * The agent that the headers choose for a chain; undefined where they choose none.
 * @param options.structuredOutput whether its answer is structured; null or absent as it is configured.
 * @param options.current the agent of the session that is asked; absent for a new chat.
 * @throws Problem `REQUEST_INVALID` for an agent or a model that is not configured; RetryableError when the store fails.
 */
export async function chosenAgent(
  chain: string,
  context: RequestContext | null,
  deps: RequestDeps,
  {
    structuredOutput = null,
    current,
  }: { structuredOutput?: boolean | null; current?: PlannedAgent | undefined } = {},
): Promise<PlannedAgent | undefined> {
  try {
    const choice = {
      agent: context?.agent ?? null,
      model: context?.model ?? null,
      structuredOutput,
      current,
    };
    return await chooseChatAgent(chain, choice, deps.config, deps);
  } catch (error) {
    if (!(error instanceof TerminalError) || error.code === 'CONFIG_UNKNOWN_CHAIN') throw error;
    const isAgent = error.code === 'CONFIG_UNKNOWN_AGENT' || context?.model == null;
    throw headerProblem(`${isAgent ? HEADERS.agent : HEADERS.model}: ${error.message}`);
  }
}

function headerProblem(fault: string): Problem {
  const [name = '', ...message] = fault.split(': ');
  return new Problem('REQUEST_INVALID', `header ${fault}`, [
    { field: `header.${name}`, message: message.join(': ') },
  ]);
}
