// Runs calls of the built-in tool `action`, which adds an event to the timeline and can name the session.

import type { ToolCall } from '../../core/contract/tools.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { type SaveDeps, saveSession } from '../../core/kernel/session/replaceSession.ts';
import { ACTION_TYPES, type ActionType, MAX_SESSION_NAME } from '../../core/prompts/builtInTools.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { EventDraft } from '../../core/schema/timelineEvent.ts';
import { type BuiltInAnswer, refuse } from '../../kits/agents/builtInAnswer.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { maskData } from '../../masking/maskData.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { quoteText } from '../../text/cut.ts';
import { ELICIT_FORM, elicitText, readElicit } from '../../text/elicit.ts';
import { isObject, type JsonObject } from '../../text/json.ts';

/** Limit of a payload, in UTF-8 bytes. */
const MAX_PAYLOAD_BYTES = 16_000;

/** What happens to a question, for the agent. */
const ASKED =
  'People see the question now. Go on without the answer: if one comes, it is a message of the person who gives it.';

/** Records the action. If it cannot be recorded, the answer gives the reason. Throws only on an abort. */
export async function runAction(
  call: ToolCall,
  context: IterationContext,
  signal: AbortSignal,
): Promise<BuiltInAnswer> {
  const mask = (text: string) => cleanText(context.masker, text).text;
  const read = readAction(parseCallArguments(call.arguments), mask);
  if (typeof read === 'string') return refuse(read);
  const { type, json, name, event } = read;
  try {
    // Names the session before the result is stored, so that a crash in between repeats the naming.
    if (name !== undefined) await renameSession(context.held.current().sessionId, name, context.deps);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof InquestError)) throw error;
    return { ...refuse(`The session was not named: ${errorMessage(error)}`), noAnswer: true };
  }
  return {
    content: JSON.stringify(buildActionResult(type, JSON.parse(json) as JsonObject)),
    isError: false,
    events: [event],
  };
}

/** An action as it is recorded. */
interface RecordedAction {
  type: ActionType;
  /** Its payload, masked. */
  json: string;
  /** The name that it gives the session, masked; undefined if it gives none. */
  name: string | undefined;
  event: Extract<EventDraft, { eventType: 'action' }>;
}

/** Reads the arguments of an action. @returns the fault with the fix as a text. */
export function readAction(
  { type, payload = {} }: JsonObject,
  mask: (text: string) => string,
): RecordedAction | string {
  if (!isActionType(type)) {
    const given =
      typeof type === 'string' ? `"${quoteText(type, 60)}" is no type of action` : '"type" is missing';
    return `${given}; there are ${ACTION_TYPES.join(', ')}.`;
  }
  if (!isObject(payload)) return '"payload" must be an object.';
  const json = maskData(JSON.stringify(payload), mask);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_PAYLOAD_BYTES)
    return `"payload" has ${bytes} bytes; ${MAX_PAYLOAD_BYTES} at most. Shorten it.`;
  const question = type === 'elicit' ? readElicit(JSON.parse(json)) : undefined;
  if (type === 'elicit' && question === undefined) return ELICIT_FORM;
  const name = type === 'observation' ? payload.session_name : undefined;
  if (name !== undefined && !isName(name))
    return `"session_name" must be a text of 1 to ${MAX_SESSION_NAME} characters.`;
  const event = draftActionEvent(type, json);
  return {
    type,
    json,
    name: name && onOneLine(mask(name)),
    event: question === undefined ? event : { ...event, content: elicitText(question) },
  };
}

/** The result of an action. Fields of an observation also stand beside the payload. */
export function buildActionResult(type: ActionType, payload: JsonObject): JsonObject {
  const own = { _action_event: true, action_type: type, status: 'success', payload };
  if (type === 'elicit') return { ...own, note: ASKED };
  return type === 'observation' ? { ...payload, ...own, _metadata_event: true } : own;
}

function draftActionEvent(type: ActionType, json: string): RecordedAction['event'] {
  return {
    eventType: 'action',
    content: json === '{}' ? type : `${type}: ${json}`,
    metadata: { actionType: type, ...(json !== '{}' && { payload: json }) },
  };
}

function isActionType(type: unknown): type is ActionType {
  return ACTION_TYPES.some((one) => one === type);
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name.trim() !== '' && name.length <= MAX_SESSION_NAME;
}

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * Names a session that runs or answers a question; an ended session keeps its name.
 * @throws RetryableError when other writers keep changing it, or the store fails; TerminalError if it cannot
 * be read.
 */
async function renameSession(sessionId: string, title: string, deps: SaveDeps): Promise<void> {
  await retryLostRaces(`session ${sessionId}`, SESSION_RACES, async () => {
    const stored = await deps.store.get(paths.session(sessionId), sessionType);
    if (stored === undefined || stored.value.title === title) return;
    const { status, openStage } = stored.value;
    if (status !== 'in_progress' && openStage === null) return;
    const { ok } = await saveSession(stored, { ...stored.value, title }, [], deps);
    return ok ? undefined : RACE_LOST;
  });
}
