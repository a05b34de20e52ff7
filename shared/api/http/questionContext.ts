// Reads the headers of a question: agent, model, client, and whether it is an evaluation.

import type { Context } from 'hono';
import { TerminalError } from '../../core/errors.ts';
import type { PlannedAgent } from '../../core/schema/agent.ts';
import { chooseChatAgent } from '../../kits/questions/chooseChatAgent.ts';
import { contextOfHeaders, HEADERS } from '../../kits/tenants/requestTenant.ts';
import type { RequestContext } from '../../kits/views/chat/requestContext.ts';
import { Problem } from './problem.ts';
import type { Caller, RequestDeps } from './route.ts';

/** The values of the headers. */
interface QuestionContext {
  /** `X-Session-Id`: the id of a session, or the client's own id of a chat; null without the header. */
  sessionId: string | null;
  /** Agent, model, client and evaluation; null if the request has none of these headers. */
  context: RequestContext | null;
}

/**
 * Reads the headers. `Cache-Control: no-cache` clears the cache of stored agents before this request.
 * @throws Problem `REQUEST_INVALID` that names the header and the fix.
 */
export function questionContext(
  context: Context,
  { tenantId, userId }: Caller,
  { storedAgents }: Pick<RequestDeps, 'storedAgents'>,
): QuestionContext {
  if (/\bno-cache\b/i.test(context.req.header('cache-control') ?? '')) storedAgents?.clear();
  const identity = { tenantId, userId: userId ?? 'nobody' };
  const reading = contextOfHeaders(context.req.header(), { identity });
  if (!reading.ok) throw headerProblem(reading.fault);
  const { sessionId, agent, model, clientId, isEval } = reading.context;
  const isNothing = agent === null && model === null && clientId === null && !isEval;
  return { sessionId, context: isNothing ? null : { agent, model, clientId, isEval } };
}

/**
 * Selects the agent that the headers name for a chain; undefined if they name neither agent nor model.
 * @param options.structuredOutput whether its answer is structured. Null or absent: as configured.
 * @param options.current the agent of the session that gets the question. Absent for a new chat.
 * @throws Problem `REQUEST_INVALID` for an agent or a model that is not configured; RetryableError when the
 * store fails.
 */
export async function selectAgent(
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
  return new Problem('REQUEST_INVALID', `header ${fault}`, {
    errors: [{ field: `header.${name}`, message: message.join(': ') }],
  });
}
