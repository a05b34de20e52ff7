// Inputs of people for which a task waits: approvals of calls, and the answer to an agent's question.

import * as z from 'zod';
import { invalidField } from '../../api/http/problem.ts';
import { parsePart } from '../../api/http/readRequest.ts';
import type { Caller, RequestDeps } from '../../api/http/route.ts';
import { reasonSchema, textSchema } from '../../api/http/schemas.ts';
import { readSystemControl } from '../../core/kernel/systemPause.ts';
import type { Approval } from '../../core/schema/approval.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Session } from '../../core/schema/session.ts';
import { decideApproval } from '../../kits/approvals/decideApproval.ts';
import { findElicit, type OpenElicit } from '../../kits/questions/findElicit.ts';
import { addGuidance, guidanceFault } from '../../kits/steering/addGuidance.ts';
import { listApprovals } from '../../kits/views/listApprovals.ts';
import { elicitAnswer } from '../../text/elicit.ts';

/** A request for a person's input. */
export interface InputRequest {
  /** Unique in the task, and never used again. */
  key: string;
  /** The request in the form of `elicitation/create`. */
  request: object;
  /** Reads a response. @returns its effect. @throws Problem that names the field. */
  read(response: unknown): () => Promise<unknown>;
}

/** The open requests of a task. @throws as `Store.get`. */
export async function listInputs(
  { session, execution }: { session: Session; execution: Execution | undefined },
  caller: Caller,
  deps: RequestDeps,
): Promise<InputRequest[]> {
  const { pause } = await readSystemControl(deps);
  const { sessionId } = session;
  const [approvals, question] = await Promise.all([
    listApprovals(deps.store, pause?.at ?? deps.clock.now(), sessionId),
    // A chat takes no answers while it runs.
    execution === undefined ? findElicit(session, deps.store) : undefined,
  ]);
  return [
    // A session runs one question at a time, and none before its investigation ends.
    ...approvals.map((one) => approvalInput(one, caller, deps)),
    ...(question === undefined ? [] : [answerInput(sessionId, question, caller, deps)]),
  ];
}

const decision = z.strictObject({ verdict: z.enum(['approved', 'denied']), reason: reasonSchema });

function approvalInput(
  { approvalId, agentName, toolName, arguments: args, until }: Approval,
  { name: by }: Caller,
  deps: RequestDeps,
): InputRequest {
  return {
    key: approvalId,
    request: form(
      `${agentName} waits for approval of ${toolName} until ${until.toISOString()}. Arguments: ${args || 'none'}`,
      { verdict: { type: 'string', enum: decision.shape.verdict.options }, reason: { type: 'string' } },
    ),
    read(response) {
      const { action, content } = readResponse(approvalId, decision, response);
      if (action === 'cancel') return async () => {};
      const { verdict, reason = null } = content ?? { verdict: 'denied' as const };
      return () => decideApproval(approvalId, { verdict, reason, by }, deps);
    },
  };
}

function answerInput(
  sessionId: string,
  { eventId, elicit }: OpenElicit,
  { name: by }: Caller,
  deps: RequestDeps,
): InputRequest {
  const options = [...new Set(elicit.options)];
  const answer = { type: 'string', ...(options.length > 0 && { enum: options }) };
  return {
    key: eventId,
    request: form(elicit.question, { answer }),
    read(response) {
      const schema = z.strictObject({ answer: options.length > 0 ? z.enum(options) : textSchema });
      const { content } = readResponse(eventId, schema, response);
      if (content === undefined) return async () => {};
      const text = elicitAnswer(elicit, content.answer);
      const fault = guidanceFault(text);
      if (fault !== undefined) throw invalidField(`params.inputResponses.${eventId}.content.answer`, fault);
      return () => addGuidance(sessionId, { text, by }, deps);
    },
  };
}

/** A form whose first field is required. */
function form(message: string, properties: Record<string, object>): object {
  const requestedSchema = { type: 'object', properties, required: Object.keys(properties).slice(0, 1) };
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
}

/** A person's response: the content, if it was accepted. */
function readResponse<T>(
  key: string,
  content: z.ZodType<T>,
  response: unknown,
): { action: string; content?: T } {
  const schema = z.discriminatedUnion('action', [
    z.looseObject({ action: z.literal('accept'), content }),
    z.looseObject({ action: z.enum(['decline', 'cancel']), content: z.undefined().optional() }),
  ]);
  return parsePart(schema, response, `params.inputResponses.${key}`) as { action: string; content?: T };
}
