// Tools of the MCP server that ask questions.

import * as z from 'zod';
import { followSession } from '../../api/events/followSession.ts';
import { readAnswering } from '../../api/foreignClients/askForClient.ts';
import { readWholeAnswer } from '../../api/foreignClients/followAnswer.ts';
import { invalidField } from '../../api/http/problem.ts';
import { questionProblem } from '../../api/http/questionProblem.ts';
import type { RequestDeps } from '../../api/http/route.ts';
import { sessionParams } from '../../api/http/schemas.ts';
import { defineMcpTool, MAX_TOOL_WAIT_MS, type McpWork, type ToolRequest } from '../../api/mcp/mcpTool.ts';
import { TerminalError } from '../../core/errors.ts';
import type { PlannedAgent } from '../../core/schema/agent.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { type AskOutcome, askQuestion, questionFault } from '../../kits/questions/askQuestion.ts';
import { chooseChatAgent } from '../../kits/questions/chooseChatAgent.ts';
import { openChat } from '../../kits/questions/openChat.ts';
import { DEFAULT_ASK_SECONDS, MAX_ASK_SECONDS, MIN_ASK_SECONDS } from '../../prompt/askAgent.ts';
import { parseJson } from '../../text/json.ts';

/** Asks a question and waits for its answer. */
export const ASK = defineMcpTool({
  name: 'ask',
  description:
    'Asks a question about an investigation that has ended, or a new one. Waits for the answer for a while; get_analysis and list_sessions show its outcome.',
  inputSchema: z.strictObject({
    question: z.string().min(1).max(100_000),
    session_id: sessionParams.shape.sessionId.optional(),
  }),
  role: 'responder',
  isReadOnly: false,
  async run({ question: text, session_id }, { caller: { name: by, tenantId, userId }, deps }) {
    checkQuestion(text, 'question');
    const outcome =
      session_id === undefined
        ? await openChat({ text, by, tenantId, userId }, undefined, deps.config, deps)
        : await askQuestion(session_id, { text, by, userId, config: deps.config }, deps);
    return started(outcome, session_id, deps);
  },
  work: answerWork(async (answer) => answer),
});

/** Asks an agent by name, in a new chat. */
export const ASK_AGENT_BY_NAME = defineMcpTool({
  name: 'ask_agent',
  description:
    'Asks an agent by its name, in a new chat that ask continues. Gives its answer as text or data.',
  inputSchema: z.strictObject({
    agent_name: z.string().min(1).max(200).describe('A name of the configuration'),
    input_text: z.string().min(1).max(100_000).describe('The question'),
    input_data: z.record(z.string(), z.unknown()).nullish().describe('Data that belongs to the question'),
    user_id: z.string().max(200).nullish().describe('Has no effect: the key names the user'),
    timeout_seconds: z.int().min(MIN_ASK_SECONDS).max(MAX_ASK_SECONDS).default(DEFAULT_ASK_SECONDS),
    structured_output_override: z
      .boolean()
      .nullish()
      .describe('Whether the answer is data or text. Default: as the agent is configured'),
  }),
  role: 'responder',
  isReadOnly: false,
  async run(args, { caller: { name: by, tenantId, userId }, deps }) {
    const { input_text, input_data, timeout_seconds } = args;
    const text =
      input_data == null ? input_text : `${input_text}\n\nInput data: ${JSON.stringify(input_data)}`;
    checkQuestion(text, 'input_text');
    const agent = await chooseAgent(args, deps);
    const context = { agent: args.agent_name, model: null, clientId: null, isEval: false };
    const question = { text, by, tenantId, userId, agent, context, seconds: timeout_seconds };
    return started(await openChat(question, undefined, deps.config, deps), undefined, deps);
  },
  work: answerWork(async ({ session_id, status, answer, failure }, { agentName, output }) => {
    const named = { session_id, agent_schema: agentName };
    if (!isTerminal(status)) return { status, ...named };
    if (answer === null) return { status: 'error', ...named, error: failure ?? status };
    return output === undefined
      ? { status: 'success', ...named, output: answer, is_structured_output: false }
      : {
          status: 'success',
          ...named,
          output: parseJson(output),
          text_response: answer,
          is_structured_output: true,
        };
  }),
});

function checkQuestion(text: string, field: string): void {
  const fault = questionFault(text);
  if (fault !== undefined) throw invalidField(`arguments.${field}`, fault);
}

/** The agent of a name. @throws Problem `REQUEST_INVALID` that names the argument. */
async function chooseAgent(
  args: { agent_name: string; structured_output_override?: boolean | null | undefined },
  deps: RequestDeps,
): Promise<PlannedAgent | undefined> {
  const structuredOutput = args.structured_output_override ?? null;
  const choice = { agent: args.agent_name, model: null, structuredOutput };
  const { config } = deps;
  const agent = await chooseChatAgent(config.defaultChain, choice, config, deps).catch((error: unknown) => {
    throw error instanceof TerminalError ? invalidField('arguments.agent_name', error.message) : error;
  });
  if (structuredOutput === true && agent?.outputSchema === undefined)
    throw invalidField('arguments.structured_output_override', 'the agent answers with text; leave it out');
  return agent;
}

/** The work of a question. @throws Problem for a question that was refused. */
function started(
  outcome: AskOutcome,
  asked: string | undefined,
  { clock }: Pick<RequestDeps, 'clock'>,
): { work: McpWork } {
  if (outcome.kind !== 'asked') throw questionProblem(asked ?? '', outcome, clock.now());
  const { sessionId, executionId } = outcome;
  return { work: { sessionId, executionId } };
}

type Answer = Awaited<ReturnType<typeof readAnswer>>;

/** The results of a question. @param shape composes them from the answer. */
function answerWork(shape: (answer: Answer['answer'], found: Answer) => Promise<object>) {
  const read = async (work: McpWork, request: Pick<ToolRequest, 'deps' | 'signal'>) => {
    const found = await readAnswer(work, request);
    return shape(found.answer, found);
  };
  const wait = async (work: McpWork, request: ToolRequest) => {
    await awaitAnswer(work, request);
    return read(work, request);
  };
  return { wait, read };
}

/** Waits for an answer, and reports its events as progress. */
async function awaitAnswer(
  { sessionId, executionId }: McpWork,
  { deps, signal, progress }: ToolRequest,
): Promise<void> {
  const { stageId } = await readAnswering({ sessionId, executionId: executionId ?? '' }, deps);
  let last = 0;
  const options = {
    sessionId,
    take: (event: { executionId: string | null; sequenceNumber: number }) =>
      event.executionId === executionId && event.sequenceNumber > last,
    isOver: ({ openStage }: { openStage: { stageId: string } | null }) => openStage?.stageId !== stageId,
    signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_TOOL_WAIT_MS)]),
  };
  for await (const one of followSession(options, deps)) {
    if (one.kind !== 'event' || one.event.sequenceNumber <= last) continue;
    last = one.event.sequenceNumber;
    await progress(last, one.event.eventType);
  }
}

/** The answer as far as it is stored, with its agent and the JSON of a structured one. */
async function readAnswer(
  { sessionId, executionId }: McpWork,
  { deps, signal }: Pick<ToolRequest, 'deps' | 'signal'>,
) {
  const execution = await readAnswering({ sessionId, executionId: executionId ?? '' }, deps);
  const { status, failure, agentName } = execution;
  const { content, final } = isTerminal(status)
    ? await readWholeAnswer(execution, { asJson: false, signal }, deps)
    : { content: null, final: undefined };
  const answer = { session_id: sessionId, status, answer: content, failure };
  return { answer, agentName, output: final?.metadata.output };
}
