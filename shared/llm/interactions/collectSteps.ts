// Puts one answer of the Interactions API together, from the events of a stream or from a stored interaction.

import { asArray, asObject, asText, isObject, type JsonObject, parseJson } from '../../text/json.ts';
import {
  type CollectedAnswer,
  type CollectOptions,
  type Collector,
  collectChunks,
} from '../gemini/collectStream.ts';
import { createPieceReader } from './readPieces.ts';
import { convertToParts, isRunning, listAnswerSteps, readStepSources, type Step } from './steps.ts';

/** Words of failures that mean a refused prompt, not a temporary fault. */
const BLOCKED = /\b(safety|blocked|prohibited|policy|recitation)\b/i;

/** A step whose deltas still arrive. */
interface OpenStep {
  /** The step in the list of the answer. */
  step: Step;
  /** The JSON text of a call's arguments; undefined before the first piece. */
  argumentsText?: string;
}

/**
 * A collector of the events of an answer. A stored interaction is read as the event that completes it.
 * `add` throws an error with a `status` when the interaction failed, for `geminiFailure`.
 */
export function createStepCollector(options: CollectOptions): Collector {
  const list = collectSteps();
  const read = createPieceReader();
  let status: string | null = null;
  let usage: JsonObject | null = null;
  let model: unknown;
  let tier: unknown;
  let token: string | undefined;
  let blocked: string | undefined;
  let events = 0;

  function add(event: unknown): void {
    events += 1;
    for (const piece of read(event)) options.onProgress?.(piece);
    const { event_type: type, interaction, index, step, delta, error } = asObject(event);
    if (type === 'error') fail(asObject(error));
    else if (type === 'step.start') list.start(index, asObject(step));
    else if (type === 'step.delta') list.change(index, asObject(delta));
    else if (type === 'step.stop') list.stop(index);
    else if (isObject(interaction)) addInteraction(interaction);
    else addState(asObject(event));
  }

  function addInteraction(interaction: JsonObject): void {
    model = interaction.model ?? model;
    tier = interaction.service_tier ?? tier;
    if (Array.isArray(interaction.steps)) list.replace(interaction.steps);
    addState(interaction);
    if (status !== 'failed') return;
    const [first] = asArray(interaction.errors).map(asObject);
    fail(first ?? asObject(list.steps().findLast(({ error }) => isObject(error))?.error));
  }

  function addState(state: JsonObject): void {
    status = asText(state.status) ?? status;
    usage = isObject(state.usage) ? state.usage : usage;
    token = asText(state.continuation_token) ?? token;
  }

  function fail({ code, message }: JsonObject): void {
    const text = asText(message) ?? 'The interaction failed.';
    if (!BLOCKED.test(text)) throw interactionError(code, text);
    blocked = text;
  }

  function answer(): CollectedAnswer {
    const steps = list.steps();
    const chunk = {
      candidates: [
        {
          content: { parts: convertToParts(steps) },
          ...(status !== null && !isRunning(status) && { finishReason: status }),
          ...readStepSources(steps),
        },
      ],
      ...(blocked !== undefined && { promptFeedback: { blockReasonMessage: blocked } }),
      ...(usage !== null && { usageMetadata: convertUsage(usage, tier) }),
      modelVersion: model,
    };
    const collected = collectChunks([chunk], { ...options, onProgress: undefined });
    const malformedCall = collected.malformedCall || list.isMalformed();
    return { ...collected, steps, chunkCount: events, malformedCall };
  }

  return {
    add,
    answer,
    continuationToken: () => (status === 'requires_continuation' ? token : undefined),
    takeUsage() {
      const { usage: taken } = answer();
      usage = null;
      return taken;
    },
    startPiece() {
      status = null;
      token = undefined;
    },
  };
}

/** Joins the pieces of steps. */
function collectSteps() {
  let steps: Step[] = [];
  const open = new Map<unknown, OpenStep>();
  let hasMalformedCall = false;

  function start(index: unknown, step: Step): void {
    stop(index);
    if (listAnswerSteps([step]).length === 0) return;
    const started = structuredClone(step);
    steps.push(started);
    open.set(index, { step: started });
  }

  function change(index: unknown, delta: JsonObject): void {
    const current = open.get(index);
    if (current === undefined) return;
    const { step } = current;
    const { type, ...fields } = delta;
    switch (type) {
      case 'text':
        addText(step, 'content', delta);
        return;
      case 'thought_summary':
        addText(step, 'summary', asObject(delta.content));
        return;
      case 'thought_signature':
        step.signature = `${asText(step.signature) ?? ''}${asText(delta.signature) ?? ''}`;
        return;
      case 'arguments_delta':
        current.argumentsText = `${current.argumentsText ?? ''}${asText(delta.arguments) ?? ''}`;
        return;
      case 'text_annotation_delta':
      case 'text_annotation':
        annotate(step, asArray(delta.annotations));
        return;
      default:
        // The other deltas have the fields of their step, or are a content of it.
        if (step.type === 'model_output') step.content = [...asArray(step.content), delta];
        else Object.assign(step, fields);
    }
  }

  function stop(index: unknown): void {
    const current = open.get(index);
    open.delete(index);
    if (current?.argumentsText === undefined || current.argumentsText === '') return;
    const args = parseJson(current.argumentsText);
    if (isObject(args)) current.step.arguments = args;
    else hasMalformedCall = true;
  }

  return {
    start,
    change,
    stop,
    replace(all: unknown): void {
      open.clear();
      hasMalformedCall = false;
      steps = listAnswerSteps(all);
    },
    steps: (): Step[] => steps,
    /** Whether a call lacks its arguments, or a part of them: it must not run. */
    isMalformed: (): boolean =>
      hasMalformedCall || [...open.values()].some(({ step }) => step.type === 'function_call'),
  };
}

/** Adds a piece of text to the last text of a list of contents. */
function addText(step: Step, key: 'content' | 'summary', piece: JsonObject): void {
  const list = asArray(step[key]).map(asObject);
  const last = list.at(-1);
  if (last !== undefined && typeof last.text === 'string' && typeof piece.text === 'string')
    step[key] = [...list.slice(0, -1), { ...last, text: `${last.text}${piece.text}` }];
  else step[key] = [...list, { type: 'text', ...piece }];
}

function annotate(step: Step, annotations: unknown[]): void {
  const list = asArray(step.content).map(asObject);
  const last = list.at(-1);
  if (last === undefined) return;
  const all = [...asArray(last.annotations), ...annotations];
  step.content = [...list.slice(0, -1), { ...last, annotations: all }];
}

/** Token counts under the names of generateContent. */
function convertUsage(usage: JsonObject, tier: unknown): JsonObject {
  return {
    promptTokenCount: usage.total_input_tokens,
    toolUsePromptTokenCount: usage.total_tool_use_tokens,
    candidatesTokenCount: usage.total_output_tokens,
    thoughtsTokenCount: usage.total_thought_tokens,
    cachedContentTokenCount: usage.total_cached_tokens,
    totalTokenCount: usage.total_tokens,
    serviceTier: tier,
  };
}

/** Codes of failed interactions are words or addresses, and those of steps google.rpc.Code. */
const STATUS_WORDS: readonly (readonly [RegExp, number])[] = [
  [/exhausted|quota|rate|^8$/i, 429],
  [/invalid|bad_request|failed_precondition|^3$|^9$/i, 400],
  [/permission|unauthenticated|^7$|^16$/i, 403],
  [/not_found|^5$/i, 404],
];

/** The error of an interaction with the status that the API would have answered. */
function interactionError(code: unknown, message: string): Error & { status: number } {
  const word = String(code ?? '');
  const status = STATUS_WORDS.find(([pattern]) => pattern.test(word))?.[1] ?? 503;
  const text = JSON.stringify({ error: { message, status: word } });
  return Object.assign(new Error(text), { status });
}
