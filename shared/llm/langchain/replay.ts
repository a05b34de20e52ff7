// The `Replay` of an answer that came through LangChain: its provider's own form, as JSON.

import type { LlmRequest, Replay } from '../../core/contract/llm.ts';
import type { ToolCall } from '../../core/contract/tools.ts';
import { asArray, asObject, asText, isObject, parseJson } from '../../text/json.ts';
import { sharesSignatures } from '../modelFamily.ts';
import type { OwnForm } from './collectReplay.ts';

/**
 * The own form of an answer, to be stored. Undefined when there is none, or when the ids of its calls are not
 * those of the answer: results would not match them.
 * @param calls the calls that the runtime runs, in order.
 */
export function writeReplay(
  { provider, model }: LlmRequest['model'],
  form: OwnForm | undefined,
  calls: readonly ToolCall[],
): Replay | undefined {
  if (form === undefined) return undefined;
  const ids = listOwnCallIds(form);
  const isSame = ids.length === calls.length && calls.every(({ callId }, index) => callId === ids[index]);
  return isSame ? { provider, model, data: JSON.stringify(form) } : undefined;
}

/** The own form of a stored answer; undefined where another model gave it, or where it was not kept. */
export function readReplay(replay: Replay | undefined, model: LlmRequest['model']): OwnForm | undefined {
  if (replay === undefined || !sharesSignatures(replay, model)) return undefined;
  // An answer whose own form was too large has none.
  const { kind, content, output } = asObject(parseJson(replay.data));
  if (kind === 'content') return { kind, content: asArray(content).filter(isObject) };
  if (kind === 'output') return { kind, output: asArray(output).filter(isObject) };
  return undefined;
}

/** The ids of the calls in an own form, in order; empty texts where there is none. */
function listOwnCallIds(form: OwnForm): string[] {
  const ids =
    form.kind === 'content'
      ? form.content.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
      : form.output.filter(({ type }) => type === 'function_call').map(({ call_id }) => call_id);
  return ids.map((id) => asText(id) ?? '');
}
