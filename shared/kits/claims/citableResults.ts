// The results of a conversation that evidence can cite: those that tools of servers returned. Pure.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import type { Yields } from '../../core/schema/block.ts';
import { isOwnCall, type ToolResultBlock } from '../../core/schema/block.ts';
import type { MatchContext, StoredText } from '../../evidence/match.ts';
import { observationKey } from '../../evidence/observation.ts';
import { buildStoredText, isCutText } from '../../evidence/storedText.ts';
import { readCollectedCalls } from '../../prompt/collected.ts';
import { readGuidance } from '../../prompt/guidance.ts';
import { READ_RESULT } from '../../prompt/largeResult.ts';
import { collectedId, isForContrast } from '../../schema/collected.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { incrementalFold } from '../../text/incrementalFold.ts';
import { asText } from '../../text/json.ts';

/** A result that can be cited. */
export interface CitableResult extends StoredText {
  /** `server.tool` */
  tool: string;
  /** The number of its message. */
  message: number;
  isError: boolean;
  callId: string;
  /** The kind of its tool's results. */
  yields: Yields;
  /** The field list of its tool. Absent: none of its fields is a state. */
  fields?: string;
  /** Whether a part of the answer is missing in the text. */
  isCut: boolean;
}

/** Where evidence of a conversation is searched. */
export interface CitableResults extends MatchContext {
  results: readonly CitableResult[];
  /** What people said to the agent: a piece of guidance a line or several. */
  person: string;
  /** The calls of servers' tools that ran, by observation, and whether a tool answered one of them. */
  calls: ReadonlyMap<string, boolean>;
  /** The results of calls for contrast, which are none of the agent's. */
  contrasts: readonly CitableResult[];
}

/** The pieces of a result that is stored whole; undefined where they were not read. */
type PiecesOf = (block: ToolResultBlock) => readonly string[] | undefined;

/** A conversation as it was read up to a message. */
interface Reading {
  citable: CitableResults & {
    results: CitableResult[];
    contrasts: CitableResult[];
    readings: Map<string, string>;
    calls: Map<string, boolean>;
  };
  requested: Map<string, { tool: string; arguments: string; earlierTexts: readonly string[] }>;
  /** Texts of the agent. */
  written: readonly string[];
  message: number;
}

/**
 * Reads a conversation, and the messages that were added to it where it was read before with the same
 * function.
 * @param messages those with the numbers 1 to n, in order.
 * @returns the same object for longer conversations, with more results.
 */
export const citableResults = (
  messages: readonly ConversationMessage[],
  piecesOf: PiecesOf,
): CitableResults => readAll(messages, piecesOf).citable;

const readAll = incrementalFold(
  (): Reading => ({
    citable: { results: [], contrasts: [], readings: new Map(), alert: '', person: '', calls: new Map() },
    requested: new Map(),
    written: [],
    message: 0,
  }),
  (read, { role, blocks }: ConversationMessage, piecesOf: PiecesOf) => {
    const { citable, requested } = read;
    read.message++;
    for (const block of blocks) {
      if (block.blockType === 'text' || block.blockType === 'thinking') {
        const { textContent } = block;
        const collected = role === 'user' ? readCollectedCalls(textContent) : undefined;
        const said = role === 'user' ? readGuidance(textContent) : undefined;
        if (said !== undefined) citable.person += `${said}\n`;
        else if (role === 'assistant') read.written = [...read.written, textContent];
        else if (collected !== undefined)
          for (const [index, { name: tool, arguments: args }] of collected.entries())
            requested.set(collectedId(index), { tool, arguments: args, earlierTexts: [] });
        else if (role === 'user' && requested.size === 0)
          citable.alert += citable.alert === '' ? textContent : `\n${textContent}`;
      } else if (isOwnCall(block)) {
        const { toolUseId, toolName: tool, input } = block;
        requested.set(toolUseId, { tool, arguments: input, earlierTexts: read.written });
      } else if (block.blockType === 'tool_result') {
        readResult(read, block, piecesOf);
      }
    }
  },
);

function readResult(
  { citable: { results, contrasts, readings, calls }, requested, message }: Reading,
  block: ToolResultBlock,
  piecesOf: PiecesOf,
): void {
  const id = block.stored?.id ?? `r${message}`;
  const call = requested.get(block.toolUseId);
  const { tool = block.toolName, arguments: args = '{}', earlierTexts = [] } = call ?? {};
  const read = tool === READ_RESULT ? asText(parseCallArguments(args).id) : undefined;
  if (read !== undefined) readings.set(id, read.trim().toLowerCase());
  if (!isOfServer(tool) || NO_CALL.test(block.textContent)) return;
  const key = observationKey({ tool, arguments: args });
  const isOfAgent = !isForContrast(block.toolUseId);
  if (isOfAgent) calls.set(key, calls.get(key) === true || block.noAnswer !== true);
  const text = buildStoredText(block, piecesOf(block));
  if (text === undefined) return;
  const { isError, yields = 'text', fields, toolUseId: callId } = block;
  const source = { tool, isError, yields, isCut: isCutText(block), ...(fields !== undefined && { fields }) };
  (isOfAgent ? results : contrasts).push({
    ...source,
    id,
    text,
    arguments: args,
    key,
    earlierTexts,
    message,
    callId,
  });
}

/** Results of calls that a model made wrongly, or that were refused: they reached no server. */
const NO_CALL = /^(?:Not run:|There is no tool ")/;

/** Tools of servers have a dot in their names; Inquest's own have none. */
const isOfServer = (tool: string): boolean => tool.includes('.');
