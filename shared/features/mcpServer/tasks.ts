// The tasks extension of MCP (2026-07-28): a task is the session or the execution that does the work.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ClientCapabilities, Server, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { Problem } from '../../api/http/problem.ts';
import { parsePart } from '../../api/http/readRequest.ts';
import { type Caller, callerIdentity, type RequestDeps } from '../../api/http/route.ts';
import type { McpTool, McpWork } from '../../api/mcp/mcpTool.ts';
import type { Stored } from '../../core/contract/store.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { executionType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Session } from '../../core/schema/session.ts';
import { cancelSession } from '../../core/session/cancelSession.ts';
import { type InputRequest, listInputs } from './taskInputs.ts';
import { describeFailure, toolResult } from './toolResult.ts';

/** The SDK, which is loaded with the first request. */
export type Sdk = typeof import('./sdk.ts');

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const EXTENSION = 'io.modelcontextprotocol/tasks';
/** Milliseconds between two looks at a task. */
const POLL_INTERVAL_MS = 5_000;

/** A task: a tool's work with its documents. */
interface Task {
  taskId: string;
  tool: McpTool;
  work: McpWork;
  session: Session;
  /** Undefined for an investigation. */
  execution: Execution | undefined;
  updatedAt: Date;
}

/** The capabilities that the client declares with its request. */
function capabilities({ mcpReq: { envelope } }: ServerContext): ClientCapabilities {
  return (envelope as Record<string, ClientCapabilities> | undefined)?.[CAPABILITIES] ?? {};
}

/** Whether the client declares with its request that it can follow tasks. */
export const declaresTasks = (context: ServerContext): boolean =>
  capabilities(context).extensions?.[EXTENSION] !== undefined;

/** Whether the client can show forms: `elicitation` without modes means forms. */
function showsForms(context: ServerContext): boolean {
  const modes = capabilities(context).elicitation;
  return modes !== undefined && (modes.form !== undefined || Object.keys(modes).length === 0);
}

/** The result of a call whose work has started: its task. @throws as `Store.get`. */
export async function createTask(
  tool: McpTool,
  work: McpWork,
  caller: Caller,
  deps: RequestDeps,
): Promise<object> {
  const found = await loadWork(work, deps);
  if (found === undefined) throw unknownTask();
  const taskId = composeTaskId(tool, work, found.session, caller);
  return { resultType: 'task', ...describeTask({ taskId, tool, work, ...found }) };
}

const taskParams = z.looseObject({ taskId: z.string().max(1_000) });
const updateParams = taskParams.extend({ inputResponses: z.record(z.string(), z.unknown()) });

/**
 * Serves tasks of the tools that the caller can use.
 * @param given the parameters of the request as sent: the SDK takes `inputResponses` out, and drops parts.
 */
export function addTasks(
  sdk: Sdk,
  server: Server,
  given: unknown,
  { tools, caller, deps }: { tools: readonly McpTool[]; caller: Caller; deps: RequestDeps },
): void {
  server.registerCapabilities({ extensions: { [EXTENSION]: {} } });
  const serve = <P extends { taskId: string }>(
    method: string,
    schema: z.ZodType<P>,
    answer: (task: Task, params: P, context: ServerContext) => Promise<object>,
  ) =>
    server.setRequestHandler(method, { params: z.looseObject({}) }, async (_, context) => {
      if (!declaresTasks(context))
        throw new sdk.MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [EXTENSION]: {} } },
        });
      try {
        const params = parsePart(schema, given, 'params');
        return { ...(await answer(await findTask(params.taskId, tools, caller, deps), params, context)) };
      } catch (error) {
        const { text, isOurs } = describeFailure(error, deps);
        const { InternalError, InvalidParams } = sdk.ProtocolErrorCode;
        throw new sdk.ProtocolError(isOurs ? InternalError : InvalidParams, text);
      }
    });
  serve('tasks/get', taskParams, (task, _, context) => readTask(task, context, caller, deps));
  serve('tasks/update', updateParams, async (task, { inputResponses }) => {
    const inputs = await openInputs(task, caller, deps);
    const answered = inputs.filter(({ key }) => Object.hasOwn(inputResponses, key));
    // All are valid before the first one has an effect.
    const acts = answered.map(({ key, read }) => read(inputResponses[key]));
    for (const act of acts) await act();
    return {};
  });
  serve('tasks/cancel', taskParams, async ({ session, execution, work }) => {
    const runs =
      execution === undefined
        ? !isTerminal(session.status)
        : session.openStage?.stageId === execution.stageId;
    if (runs) await cancelSession(work.sessionId, deps, { by: caller.name, reason: null });
    return {};
  });
}

/** The state of a task, with its result once it has one. */
async function readTask(task: Task, context: ServerContext, caller: Caller, deps: RequestDeps) {
  const { tool, work } = task;
  const described = describeTask(task);
  const { status } = task.execution ?? task.session;
  if (described.status === 'completed') {
    const value = (await tool.work?.read(work, { deps, signal: context.mcpReq.signal })) ?? {};
    return { ...described, result: { resultType: 'complete', ...toolResult(value, status !== 'completed') } };
  }
  const inputs = await openInputs(task, caller, deps);
  if (inputs.length === 0) return described;
  if (!showsForms(context)) return { ...described, statusMessage: 'It waits for a person.' };
  const inputRequests = Object.fromEntries(inputs.map(({ key, request }) => [key, request]));
  return { ...described, status: 'input_required', inputRequests };
}

async function openInputs(task: Task, caller: Caller, deps: RequestDeps): Promise<InputRequest[]> {
  const { status } = task.execution ?? task.session;
  return isTerminal(status) ? [] : listInputs(task, caller, deps);
}

/** The fields that every form of a task has. Only errors of JSON-RPC are `failed`. */
function describeTask({ taskId, session, execution, updatedAt }: Task) {
  const { status, createdAt, expireAt } = execution ?? session;
  const place = execution ? `iteration ${execution.iteration}` : `stage ${session.currentStageId}`;
  return {
    taskId,
    status: status === 'cancelled' ? status : isTerminal(status) ? 'completed' : 'working',
    statusMessage: `${status}, ${place}`,
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: updatedAt.toISOString(),
    ttlMs: expireAt.getTime() - createdAt.getTime(),
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

/** The id of a task: its tool and its documents, signed for the caller with the key of the session. */
function composeTaskId(
  { name }: McpTool,
  { sessionId, executionId }: McpWork,
  { maskKey }: Session,
  caller: Caller,
): string {
  const place = [name, sessionId, executionId ?? ''].join('/');
  const signed = JSON.stringify(['mcpTask', place, callerIdentity(caller)]);
  const proof = createHmac('sha256', maskKey).update(signed).digest('base64url');
  return `${Buffer.from(place).toString('base64url')}.${proof}`;
}

const PLACE = /^([a-z_]{1,64})\/([A-Za-z0-9][\w-]{0,199})\/([\w.~-]{0,200})$/;

/** @throws Problem `NOT_FOUND` for an id that is not one of the caller. */
async function findTask(
  taskId: string,
  tools: readonly McpTool[],
  caller: Caller,
  deps: RequestDeps,
): Promise<Task> {
  const [place = ''] = taskId.split('.');
  const [, name, sessionId, executionId] = PLACE.exec(Buffer.from(place, 'base64url').toString()) ?? [];
  const tool = tools.find((one) => one.name === name && one.work !== undefined);
  if (tool === undefined || sessionId === undefined) throw unknownTask();
  const work = { sessionId, executionId: executionId || null };
  const found = await loadWork(work, deps);
  if (found === undefined || !isEqual(taskId, composeTaskId(tool, work, found.session, caller)))
    throw unknownTask();
  return { taskId, tool, work, ...found };
}

function isEqual(given: string, own: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(own)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const unknownTask = () =>
  new Problem('NOT_FOUND', 'params.taskId: there is no such task; it has expired, or another key started it');

/** The documents of work; undefined where one does not exist. */
async function loadWork(
  { sessionId, executionId }: McpWork,
  { store }: Pick<RequestDeps, 'store'>,
): Promise<Pick<Task, 'session' | 'execution' | 'updatedAt'> | undefined> {
  const [session, execution] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    executionId === null ? undefined : store.get(paths.execution(sessionId, executionId), executionType),
  ]);
  const changed: Stored<unknown> | undefined = executionId === null ? session : execution;
  if (session === undefined || changed === undefined) return undefined;
  return { session: session.value, execution: execution?.value, updatedAt: changed.updatedAt };
}
