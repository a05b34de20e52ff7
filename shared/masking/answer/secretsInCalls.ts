// Finds the calls of an answer that would leak a secret, a mark or the canary, on their own or together with
// calls that tools received before.

import type { Masker } from '../../core/contract/guard.ts';
import { isLedgerCall } from '../../core/contract/ledgerTool.ts';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import type { ToolCall } from '../../core/contract/tools.ts';
import { isOwnCall, NOT_RUN } from '../../core/schema/block.ts';
import { isObject, parseJson } from '../../text/json.ts';
import { memoized } from '../../text/memo.ts';

/** Limits of the earlier calls that an answer is checked with: answers, and JSON characters. */
const EARLIER_ANSWERS = 8;
const EARLIER_CHARACTERS = 262_144;
/** Deeper values are only searched in the JSON text. */
const MAX_DEPTH = 200;
const WHICH = ['keys', 'values', 'both'] as const;

/** Searches the JSON text and its values, which can contain escapes, or a secret in pieces. */
export function isLeakingCall({ name, arguments: json }: ToolCall, masker: Masker): boolean {
  const texts = new Set([name, json, ...Object.values(partsOfJson(json))]);
  return [...texts].some((text) => masker.findLeak(text) !== undefined);
}

/**
 * Whether a call of the ledger holds a secret or the canary. Nothing leaves with it, so it can quote marks,
 * and one search does.
 */
function holdsSecret({ arguments: json }: ToolCall, masker: Masker): boolean {
  const { keys, values } = partsOfJson(json);
  const leak = masker.findLeak(`${values}\n${keys}`);
  return leak === 'secret' || leak === 'canary';
}

/**
 * Returns the calls that must not run: those that hold a secret; those that complete a secret of which calls
 * of earlier answers hold the rest; and all others, if they do so together.
 * @param conversation the messages before the answer. Counts the calls that ran in the latest 8 answers with
 *   calls, up to the newest 262,144 characters.
 */
export function findLeakingCalls<C extends ToolCall>(
  all: readonly C[],
  conversation: readonly ConversationMessage[],
  masker: Masker,
): C[] {
  const calls = all.filter((call) => !isLedgerCall(call));
  const stated = all.filter((call) => isLedgerCall(call) && holdsSecret(call, masker));
  const leaking = new Set(calls.filter((call) => isLeakingCall(call, masker)));
  const rest = () => calls.filter((call) => !leaking.has(call));
  const earlier = earlierArguments(conversation);
  const parts = new Map(calls.map((call) => [call, partsOfJson(call.arguments)]));
  const completes = (some: readonly C[]) =>
    completeSecret(
      earlier,
      some.map((call) => parts.get(call) as Parts),
      masker,
    );
  if (completes(rest())) {
    for (const call of rest()) if (completes([call])) leaking.add(call);
    if (completes(rest())) return [...calls, ...stated];
  }
  return [...calls.filter((call) => leaking.has(call)), ...stated];
}

/** Whether calls, in order, complete a secret that neither they nor earlier ones contain alone. */
function completeSecret(earlier: readonly Parts[], calls: readonly Parts[], masker: Masker): boolean {
  if (isLeakingTogether(calls, masker)) return true;
  const textsOf = (parts: readonly Parts[], which: (typeof WHICH)[number]) => parts.map((one) => one[which]);
  return WHICH.some((which) => masker.hasSplitLeak(textsOf(earlier, which), textsOf(calls, which)));
}

/** Whether the concatenated calls of one answer hold a secret of any kind. */
function isLeakingTogether(calls: readonly Parts[], masker: Masker): boolean {
  if (calls.length < 2) return false;
  const leak = masker.findLeak(calls.map(({ values }) => values).join('\n'));
  return leak === 'canary' || leak === 'secret';
}

/** The texts of arguments: of their keys, of their values, and of both, each in lines of its own. */
type Parts = Record<(typeof WHICH)[number], string>;

function partsOfJson(json: string): Parts {
  const value = parseJson(json) ?? json;
  const [keys, values, both] = WHICH.map((which) => listValueParts(value, which).join('\n'));
  return { keys, values, both } as Parts;
}

/** Longer arguments are read again for each answer, so that they are not kept in memory twice. */
const MAX_KEPT = 4_096;

const keptParts = memoized(({ input }: { input: string }) => partsOfJson(input));

/** Remembered, because each answer is searched together with the latest ones. */
const partsOfCall = (call: { input: string }): Parts =>
  call.input.length > MAX_KEPT ? partsOfJson(call.input) : keptParts(call);

/** The arguments that tools received, in the order of the calls. */
function earlierArguments(conversation: readonly ConversationMessage[]): Parts[] {
  const notRun = new Set<unknown>();
  const found: Parts[] = [];
  let [answers, room] = [EARLIER_ANSWERS, EARLIER_CHARACTERS];
  for (let index = conversation.length - 1; index >= 0; index--) {
    const { role, blocks } = conversation[index] as ConversationMessage;
    for (const block of blocks) {
      const isRefused = block.blockType === 'tool_result' && block.noAnswer === true;
      if (isRefused && block.textContent.startsWith(NOT_RUN)) notRun.add(block.toolUseId);
    }
    if (role !== 'assistant') continue;
    const calls = blocks.filter(isOwnCall).filter(({ toolName }) => !isLedgerCall({ name: toolName }));
    for (const call of calls.toReversed()) {
      if (notRun.has(call.toolUseId) || call.input.length > room) continue;
      room -= call.input.length;
      found.unshift(partsOfCall(call));
    }
    notRun.clear();
    if (calls.length > 0 && --answers === 0) break;
  }
  return found;
}

/** The keys of objects, or the texts and numbers of a value, or both in their order, at any depth. */
export function listValueParts(value: unknown, which: (typeof WHICH)[number], depth = 0): string[] {
  if (typeof value === 'string' || typeof value === 'number') return which === 'keys' ? [] : [String(value)];
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => listValueParts(entry, which, depth + 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) => [
    ...(which === 'values' ? [] : [key]),
    ...listValueParts(entry, which, depth + 1),
  ]);
}
