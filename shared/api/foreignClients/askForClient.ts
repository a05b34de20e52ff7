// A question of another product's client: finds the session and the agent that its request names, and asks.

import type { Context } from 'hono';
import { executionType, paths } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Session } from '../../core/schema/session.ts';
import { renewWatch } from '../../kits/live/renewWatch.ts';
import { type AskOutcome, askQuestion, questionFault } from '../../kits/questions/askQuestion.ts';
import { findChat } from '../../kits/questions/chatKey.ts';
import { openChat } from '../../kits/questions/openChat.ts';
import { parseJson } from '../../text/json.ts';
import { invalidField, Problem, parseProblemBody } from '../http/problem.ts';
import { questionContext, selectAgent } from '../http/questionContext.ts';
import { questionProblem } from '../http/questionProblem.ts';
import type { Caller, Once, RequestDeps } from '../http/route.ts';

/** The model name of the default chain. */
export const DEFAULT_MODEL = 'inquest';

/** A question that is being answered: its session, stage and execution. */
type AnsweringExecution = Extract<AskOutcome, { kind: 'asked' }>;

/** The question of a request. */
interface ClientQuestion {
  /** The field that holds the question, for problems: `body.messages`. */
  field: string;
  /** The question, with earlier messages unless the session has them (`hasHistory`). */
  compose(hasHistory: boolean): string;
  /** Why it is no question, with the fix; undefined if it is one. */
  fault: string | undefined;
  /** The chain of a new chat, and the agent that answers instead of the chain's; null for the chain's. */
  model: { chain: string; agent: string | null };
  /** The session that the request continues. Default: that of X-Session-Id, or a new chat. */
  sessionId?: string;
  /** Whether the answer is streamed. */
  isWatched: boolean;
  /** Whether a structured answer is asked for; null leaves it open. */
  form: boolean | null;
  /** The field that asks for it, for problems. */
  formField: string;
  /** Refuses a request that does not fit the session that it continues. Default: all fit. */
  check?(session: Session): Promise<void>;
  /** Whether a stored outcome still answers a repeated request. Default: yes. */
  isCurrent?(answering: AnsweringExecution): Promise<boolean>;
}

/**
 * Asks in the session of X-Session-Id, or in a new chat, and names the session in the header of the answer.
 * @throws Problem when the question is refused; RetryableError when the store fails.
 */
export async function askForClient(
  context: Context,
  question: ClientQuestion,
  { caller, once }: { caller: Caller; once: Once },
  deps: RequestDeps,
): Promise<AnsweringExecution> {
  const { field, isWatched, form, isCurrent } = question;
  const { sessionId: header, context: named } = questionContext(context, caller, deps);
  const sessionId = question.sessionId ?? header;
  const place = sessionId === null ? undefined : await findChat(deps.store, caller.tenantId, sessionId);
  const session = place?.session;
  const text = question.compose(session !== undefined);
  const fault = question.fault ?? questionFault(text);
  if (fault !== undefined) throw invalidField(field, fault);
  const chain = session?.chain.name ?? question.model.chain;
  const ask = async (): Promise<AnsweringExecution> => {
    if (session !== undefined) await question.check?.(session);
    const choice = { structuredOutput: form, current: session?.chain.chat };
    const selected = { model: null, clientId: null, isEval: false, ...named };
    const agentName = named?.agent ?? question.model.agent;
    const agent = await selectAgent(chain, { ...selected, agent: agentName }, deps, choice);
    const answering = agent ?? session?.chain.chat ?? deps.config.chains[chain]?.chat;
    if (form === true && answering?.outputSchema === undefined) throw noSchema(question.formField);
    const { name: by, tenantId, userId } = caller;
    const input = { text, by, userId, context: named, agent };
    // The answer can start before its stream does.
    if (isWatched && session !== undefined) await renewWatch(session.sessionId, deps).catch(() => undefined);
    const outcome =
      session === undefined
        ? await openChat({ ...input, tenantId, isWatched, place }, chain, deps.config, deps)
        : await askQuestion(session.sessionId, { ...input, config: deps.config }, deps);
    if (outcome.kind !== 'asked') throw questionProblem(session?.sessionId ?? '', outcome, deps.clock.now());
    return outcome;
  };
  const { status, body } = await once(
    async () => ({ status: 202, body: JSON.stringify(await ask()) }),
    async (stored) => (await isCurrent?.(parseJson(stored.body) as AnsweringExecution)) ?? true,
  );
  if (status !== 202) throw parseProblemBody(body);
  const answering = parseJson(body) as AnsweringExecution;
  context.header('X-Session-Id', answering.sessionId);
  return answering;
}

function noSchema(field: string): Problem {
  return invalidField(
    field,
    `the agent answers with text; name an agent with properties in X-Agent-Schema, or leave ${field.replace('body.', '')} out`,
  );
}

/** Reads the execution that answers. @throws Problem `NOT_FOUND` when it was deleted. */
export async function readAnswering(
  { sessionId, executionId }: Pick<AnsweringExecution, 'sessionId' | 'executionId'>,
  { store }: Pick<RequestDeps, 'store'>,
): Promise<Execution> {
  const found = await store.get(paths.execution(sessionId, executionId), executionType);
  if (found === undefined) throw new Problem('NOT_FOUND', `the answer of session ${sessionId} was deleted`);
  return found.value;
}
