// The results of a conversation that evidence can cite: those that tools of servers returned. Pure.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { MatchContext, StoredText } from '../../evidence/match.ts';
import { observationOf } from '../../evidence/observation.ts';
import { storedTextOf } from '../../evidence/storedText.ts';
import { READ_RESULT } from '../../prompt/largeResult.ts';
import { isOwnCall, type ToolResultBlock } from '../../schema/block.ts';
import type { Yields } from '../../schema/verdict.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { asText } from '../../text/json.ts';

/** A result that can be cited. */
interface CitableResult extends StoredText {
  /** `server.tool` */
  tool: string;
  /** The number of its message. */
  message: number;
  isError: boolean;
  callId: string;
  /** The kind of its tool's results. */
  yields: Yields;
}

/** Where evidence of a conversation is searched. */
export interface CitableResults extends MatchContext {
  results: readonly CitableResult[];
  /** The calls of servers' tools that ran, by observation, and whether a tool answered one of them. */
  calls: ReadonlyMap<string, boolean>;
}

/**
 * Reads a conversation.
 * @param messages those with the numbers 1 to n, in order.
 * @param piecesOf the pieces of a result that is stored whole; undefined where they were not read.
 */
export function citableResults(
  messages: readonly ConversationMessage[],
  piecesOf: (block: ToolResultBlock) => readonly string[] | undefined,
): CitableResults {
  const calls = new Map<string, { tool: string; arguments: string; earlierTexts: readonly string[] }>();
  const readings = new Map<string, string>();
  const results: CitableResult[] = [];
  const ran = new Map<string, boolean>();
  const written: string[] = [];
  const alert: string[] = [];
  for (const [index, { role, blocks }] of messages.entries()) {
    const message = index + 1;
    for (const block of blocks) {
      if (block.blockType === 'text' || block.blockType === 'thinking') {
        if (role === 'assistant') written.push(block.textContent);
        else if (role === 'user' && calls.size === 0) alert.push(block.textContent);
      } else if (isOwnCall(block)) {
        calls.set(block.toolUseId, {
          tool: block.toolName,
          arguments: block.input,
          earlierTexts: [...written],
        });
      } else if (block.blockType === 'tool_result') {
        const id = block.stored?.id ?? `r${message}`;
        const call = calls.get(block.toolUseId);
        const { tool = block.toolName, arguments: args = '{}', earlierTexts = [] } = call ?? {};
        const read = tool === READ_RESULT ? asText(parseCallArguments(args).id) : undefined;
        if (read !== undefined) readings.set(id, read.trim().toLowerCase());
        if (!isOfServer(tool) || NO_CALL.test(block.textContent)) continue;
        const { key } = observationOf({ tool, arguments: args });
        ran.set(key, ran.get(key) === true || block.noAnswer !== true);
        const text = storedTextOf(block, piecesOf(block));
        if (text === undefined) continue;
        results.push({
          id,
          text,
          arguments: args,
          key,
          earlierTexts,
          tool,
          message,
          isError: block.isError,
          yields: block.yields ?? 'text',
          callId: block.toolUseId,
        });
      }
    }
  }
  return { results, readings, alert: alert.join('\n'), calls: ran };
}

/** Results of calls that a model made wrongly, or that were refused: they reached no server. */
const NO_CALL = /^(?:Not run:|There is no tool ")/;

/** Tools of servers have a dot in their names; Inquest's own have none. */
const isOfServer = (tool: string): boolean => tool.includes('.');
