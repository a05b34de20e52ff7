// Gemini's form of a `Replay`: the parts of an answer in order of arrival, as JSON.

import type { Replay } from '../../core/contract/llm.ts';
import { NATIVE_PROVIDER } from '../../core/contract/modelFacts.ts';
import { errorMessage, TerminalError } from '../../core/errors.ts';
import { isObject } from '../../text/json.ts';
import type { GeminiPart } from './content.ts';

/** The parts of an answer of `model`, to be stored. */
export function writeReplay(model: string, parts: readonly GeminiPart[]): Replay {
  return { provider: NATIVE_PROVIDER, model, data: JSON.stringify(parts) };
}

/** Parts of the answers that this process keeps: every request repeats them. */
const knownParts = new WeakMap<Replay, readonly GeminiPart[]>();

/**
 * The parts that were stored by `writeReplay`.
 * @throws TerminalError `DOCUMENT_INVALID` when `data` is no JSON list of objects.
 */
export function readReplay(replay: Replay): readonly GeminiPart[] {
  const known = knownParts.get(replay);
  if (known !== undefined) return known;
  const { model, data } = replay;
  const parts = parseReplay(data, model);
  if (!Array.isArray(parts) || !parts.every(isObject))
    throw unreadableReplay(model, 'they are no list of objects');
  knownParts.set(replay, parts);
  return parts;
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
