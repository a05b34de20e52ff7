// What an answer of Anthropic's own models has beside its text: tools that Anthropic ran, and a pause.

import type { RequestDeps } from '../../api/http/route.ts';
import { interactionType, paths } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { readWholeConversation } from '../../kits/views/conversationView.ts';
import { isObject, type JsonObject, parseJson } from '../../text/json.ts';

/** The name of the provider in interactions and blocks. */
const ANTHROPIC = 'anthropic';
/** The types of blocks of tools that Anthropic ran. */
const SERVED = /^server_tool_use$|._tool_result$/;

/** The parts of an answer that are only there when a model of Anthropic gave it. */
export interface OwnAnswer {
  /** Calls and results of tools that Anthropic ran, as it sent them. */
  served: JsonObject[];
  /** Whether Anthropic stopped the answer so that it can be continued (`pause_turn`). */
  isPaused: boolean;
}

/**
 * Reads them of an execution that has ended.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function readOwnAnswer(
  { sessionId, executionId, iteration }: Execution,
  { store }: RequestDeps,
): Promise<OwnAnswer> {
  const last = await store.get(paths.interaction(sessionId, executionId, iteration), interactionType);
  if (last?.value.provider !== ANTHROPIC) return { served: [], isPaused: false };
  const messages = (await readWholeConversation({ sessionId, executionId }, store)) ?? [];
  const served = messages
    .flatMap(({ blocks }) => blocks)
    .filter(({ provider }) => provider === ANTHROPIC)
    .map(({ providerData }) => parseJson(providerData ?? ''))
    .filter((raw) => isObject(raw) && typeof raw.type === 'string' && SERVED.test(raw.type));
  return { served: served as JsonObject[], isPaused: last.value.finishReason === 'pause_turn' };
}
