// Finds the calls of an answer that would leak a secret, a mark or the canary, on their own or together with calls that tools
// received before.

import { isLedgerCall } from '../../contract/ledgerTool.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import type { ToolCall } from '../../contract/tools.ts';
import { isOwnCall, NOT_RUN } from '../../schema/block.ts';
import { isObject, parseJson } from '../../text/json.ts';
import type { Masker } from '../masker.ts';

/** Limits of the earlier calls that an answer is checked with: the latest answers, and the JSON characters of their arguments. */
const EARLIER_ANSWERS = 8;
const EARLIER_CHARACTERS = 262_144;
/** Deeper values are only searched in the JSON text. */
const MAX_DEPTH = 200;
const WHICH = ['keys', 'values', 'both'] as const;

/** Searches the JSON text and its values, which can contain escapes, or a secret in pieces. */
export function isTaintedCall(call: ToolCall, masker: Masker): boolean {
  return taintsOf(call, masker).some((taint) => taint !== undefined);
}

/** Whether a call of the ledger holds a secret or the canary. Nothing leaves with it, so it can quote marks. */
function holdsSecret(call: ToolCall, masker: Masker): boolean {
  return taintsOf(call, masker).some((taint) => taint === 'secret' || taint === 'canary');
}

function taintsOf({ name, arguments: json }: ToolCall, masker: Masker): ReturnType<Masker['taint']>[] {
  const parsed = parseJson(json);
  const parts = WHICH.map((which) => partsOf(parsed, which).join('\n'));
  return [...new Set([name, json, ...parts])].map((text) => masker.taint(text));
}

/**
 * Returns the calls that must not run: those that hold a secret; those that complete a secret of which calls of earlier
 * answers hold the rest; and all others, if they do so together.
 * @param conversation the messages before the answer. Counts the calls that ran in the latest 8 answers with calls, up to the
 *   newest 262,144 characters.
 */
export function taintedCalls<C extends ToolCall>(
  all: readonly C[],
  conversation: readonly ConversationMessage[],
  masker: Masker,
): C[] {
  const calls = all.filter((call) => !isLedgerCall(call));
  const stated = all.filter((call) => isLedgerCall(call) && holdsSecret(call, masker));
  const tainted = new Set(calls.filter((call) => isTaintedCall(call, masker)));
  const rest = () => calls.filter((call) => !tainted.has(call));
  const earlier = earlierArguments(conversation);
  const completes = (some: readonly C[]) => completeSecret(earlier, some, masker);
  if (completes(rest())) {
    for (const call of rest()) if (completes([call])) tainted.add(call);
    if (completes(rest())) return [...calls, ...stated];
  }
  return [...calls.filter((call) => tainted.has(call)), ...stated];
}

/** Whether calls complete a secret, in the order of the calls, that neither they nor earlier ones hold on their own. */
function completeSecret(earlier: readonly string[], calls: readonly ToolCall[], masker: Masker): boolean {
  const read = (json: string): unknown => parseJson(json) ?? json;
  const before = earlier.map(read);
  const now = calls.map(({ arguments: json }) => read(json));
  if (isTaintedTogether(now, masker)) return true;
  return WHICH.some((which) => masker.taintTogether(textsOf(before, which), textsOf(now, which)));
}

/** Whether the concatenated calls of one answer hold a secret of any kind. */
function isTaintedTogether(values: readonly unknown[], masker: Masker): boolean {
  if (values.length < 2) return false;
  const taint = masker.taint(textsOf(values, 'values').join('\n'));
  return taint === 'canary' || taint === 'secret';
}

const textsOf = (values: readonly unknown[], which: (typeof WHICH)[number]): string[] =>
  values.map((value) => partsOf(value, which).join('\n'));

/** JSON texts of the arguments that tools received, in the order of the calls. */
function earlierArguments(conversation: readonly ConversationMessage[]): string[] {
  const notRun = new Set<unknown>();
  const found: string[] = [];
  let [answers, room] = [EARLIER_ANSWERS, EARLIER_CHARACTERS];
  for (let index = conversation.length - 1; index >= 0; index--) {
    const { role, blocks } = conversation[index] as ConversationMessage;
    for (const block of blocks) {
      const isRefused = block.blockType === 'tool_result' && block.noAnswer === true;
      if (isRefused && block.textContent.startsWith(NOT_RUN)) notRun.add(block.toolUseId);
    }
    if (role !== 'assistant') continue;
    const calls = blocks.filter(isOwnCall);
    for (const { toolUseId, input } of calls.toReversed()) {
      if (notRun.has(toolUseId) || input.length > room) continue;
      room -= input.length;
      found.unshift(input);
    }
    notRun.clear();
    if (calls.length > 0 && --answers === 0) break;
  }
  return found;
}

/** The keys of objects, or the texts and numbers of a value, or both in their order, at any depth. */
export function partsOf(value: unknown, which: (typeof WHICH)[number], depth = 0): string[] {
  if (typeof value === 'string' || typeof value === 'number') return which === 'keys' ? [] : [String(value)];
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => partsOf(entry, which, depth + 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) => [
    ...(which === 'values' ? [] : [key]),
    ...partsOf(entry, which, depth + 1),
  ]);
}
