// Gemini's form of a `Replay`: the parts of an answer in order of arrival, or the steps of an interaction, as
// JSON.

import type { Replay } from '../../core/contract/llm.ts';
import { NATIVE_PROVIDER } from '../../core/contract/modelFacts.ts';
import { errorMessage, TerminalError } from '../../core/errors.ts';
import { asObject, isObject } from '../../text/json.ts';
import type { GeminiPart } from './content.ts';

/** `parts` of generateContent, or `steps` of the Interactions API. */
export type ReplayForm = 'parts' | 'steps';

/** The start of the data of steps; parts are a list. */
const STEPS = '{"steps":';

/** The parts of an answer of `model`, or its steps where it has them, to be stored. */
export function writeReplay(
  model: string,
  parts: readonly GeminiPart[],
  steps?: readonly GeminiPart[],
): Replay {
  const data = steps === undefined ? JSON.stringify(parts) : `${STEPS}${JSON.stringify(steps)}}`;
  return { provider: NATIVE_PROVIDER, model, data };
}

/** The form of a replay that `writeReplay` made. */
export function readForm({ data }: Replay): ReplayForm {
  return data.startsWith(STEPS) ? 'steps' : 'parts';
}

/** Entries of the answers that this process keeps: every request repeats them. */
const knownEntries = new WeakMap<Replay, readonly GeminiPart[]>();

/**
 * The parts or steps that were stored by `writeReplay`.
 * @throws TerminalError `DOCUMENT_INVALID` when `data` is no JSON list of objects.
 */
export function readReplay(replay: Replay): readonly GeminiPart[] {
  const known = knownEntries.get(replay);
  if (known !== undefined) return known;
  const { model, data } = replay;
  const parsed = parseReplay(data, model);
  const entries = readForm(replay) === 'steps' ? asObject(parsed).steps : parsed;
  if (!Array.isArray(entries) || !entries.every(isObject))
    throw unreadableReplay(model, 'they are no list of objects');
  knownEntries.set(replay, entries);
  return entries;
}

function parseReplay(data: string, model: string): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    throw unreadableReplay(model, errorMessage(error));
  }
}

function unreadableReplay(model: string, why: string): TerminalError {
  return new TerminalError('DOCUMENT_INVALID', `stored parts of an answer of ${model}: ${why}`);
}
