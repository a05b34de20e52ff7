// The tool of the MCP server that asks a question.

import * as z from 'zod';
import { followSession } from '../../api/events/followSession.ts';
import { questionProblem } from '../../api/http/questionProblem.ts';
import type { Caller, RequestDeps } from '../../api/http/route.ts';
import { sessionParams } from '../../api/http/schemas.ts';
import { defineMcpTool, MAX_TOOL_WAIT_MS } from '../../api/mcp/mcpTool.ts';
import { executionType, paths } from '../../core/schema/coreDocuments.ts';
import { askQuestion } from '../../kits/questions/askQuestion.ts';
import { openChat } from '../../kits/questions/openChat.ts';

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
  run: ({ question, session_id }, { caller, deps, signal }) =>
    askAndWait({ question, sessionId: session_id }, caller, deps, signal),
});

async function askAndWait(
  { question, sessionId }: { question: string; sessionId: string | undefined },
  { name, tenantId, userId }: Caller,
  deps: RequestDeps,
  signal: AbortSignal,
): Promise<object> {
  const outcome =
    sessionId === undefined
      ? await openChat({ text: question, by: name, tenantId, userId }, undefined, deps.config, deps)
      : await askQuestion(sessionId, { text: question, by: name, userId, config: deps.config }, deps);
  if (outcome.kind !== 'asked') throw questionProblem(sessionId ?? '', outcome, deps.clock.now());
  const { executionId, stageId } = outcome;
  const options = {
    sessionId: outcome.sessionId,
    take: () => false,
    isOver: ({ openStage }: { openStage: { stageId: string } | null }) => openStage?.stageId !== stageId,
    signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_TOOL_WAIT_MS)]),
  };
  for await (const _ of followSession(options, deps));
  const path = paths.execution(outcome.sessionId, executionId);
  const execution = (await deps.store.get(path, executionType))?.value;
  const { status = 'unknown', finalAnalysis = null, failure = null } = execution ?? {};
  return { session_id: outcome.sessionId, status, answer: finalAnalysis, failure };
}
