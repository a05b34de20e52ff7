// Turns a scripted turn into the steps of an interaction, and the steps into the events of its stream.

import { createHash } from 'node:crypto';
import { buildChunks } from './buildChunks.ts';
import type { InteractionRequest, Step } from './interactionRequest.ts';
import { asObject } from './json.ts';
import type { ModelVersion } from './modelVersion.ts';
import type { GenerateRequest } from './requestSchema.ts';
import type { Turn } from './script.ts';
import { signPart } from './signature.ts';

const TEXT_CHUNK_CHARS = 80;

/** The end of an interaction: its status, steps and tokens. */
export interface Answer {
  /** The status in which it ends. */
  status: string;
  /** The steps of the model. */
  steps: Step[];
  /** Token counts. */
  usage: Record<string, unknown>;
  /** Why it failed. */
  errors?: { code: string; message: string }[];
}

/** Finish reasons of generateContent as statuses. */
const STATUSES: Readonly<Record<string, string>> = {
  STOP: 'completed',
  MAX_TOKENS: 'incomplete',
  CONTINUATION: 'requires_continuation',
};

/**
 * The answer of a turn. The same turn and request always give the same one, ids and signatures included.
 * @param turn its function calls have the names of the request.
 */
export function buildAnswer(
  turn: Turn,
  model: ModelVersion,
  request: InteractionRequest,
  generate: GenerateRequest,
): Answer {
  const seed = createHash('sha256').update(JSON.stringify(request.input)).digest();
  const makeId = (purpose: string) =>
    createHash('sha256').update(seed).update(purpose).digest('hex').slice(0, 8);
  const sign = (step: Step): Step => ({ ...step, signature: signPart(model, step, turn.signatureBytes) });
  const wantsSummaries = request.generation_config?.thinking_summaries === 'auto';
  const { thinking, codeExecutions = [], grounding, text, toolCalls = [] } = turn;
  const summary = wantsSummaries && thinking ? { summary: [{ type: 'text', text: thinking }] } : {};
  const steps: Step[] = [sign({ type: 'thought', ...summary })];
  for (const [index, { code, result, outcome }] of codeExecutions.entries()) {
    const id = makeId(`code ${index}`);
    steps.push(sign({ type: 'code_execution_call', id, arguments: { code, language: 'python' } }));
    const failed = outcome !== undefined && outcome !== 'OUTCOME_OK' ? { is_error: true } : {};
    if (result !== undefined)
      steps.push(sign({ type: 'code_execution_result', call_id: id, result, ...failed }));
  }
  if (grounding?.queries) {
    const id = makeId('search');
    const suggestions = [{ search_suggestions: grounding.renderedContent ?? '' }];
    steps.push(sign({ type: 'google_search_call', id, arguments: { queries: grounding.queries } }));
    steps.push(sign({ type: 'google_search_result', call_id: id, result: suggestions }));
  }
  if (grounding && grounding.urls.length > 0) {
    const id = makeId('urls');
    const result = grounding.urls.map(({ url, status }) => ({ url, status: status.toLowerCase() }));
    steps.push(sign({ type: 'url_context_call', id, arguments: { urls: result.map(({ url }) => url) } }));
    steps.push(sign({ type: 'url_context_result', call_id: id, result }));
  }
  if (text !== undefined) {
    const annotations = listAnnotations(turn);
    const content = { type: 'text', text, ...(annotations.length > 0 && { annotations }) };
    steps.push({ type: 'model_output', content: [content] });
  }
  for (const [index, { name, args }] of toolCalls.entries())
    steps.push({ type: 'function_call', id: makeId(`call ${index}`), name, arguments: args });
  return { ...composeEnd(turn), steps, usage: convertUsage(turn, model, generate) };
}

function composeEnd({
  status,
  toolCalls,
  finishReason = 'STOP',
  finishMessage,
}: Turn): Omit<Answer, 'steps' | 'usage'> {
  const plain = finishReason === 'STOP' && toolCalls ? 'requires_action' : STATUSES[finishReason ?? ''];
  const end = status ?? plain ?? (finishReason === null ? 'in_progress' : 'failed');
  if (end !== 'failed') return { status: end };
  const message = finishMessage ?? `The interaction was blocked: ${finishReason}.`;
  return { status: end, errors: [{ code: 'failed', message }] };
}

function listAnnotations({ grounding, text = '' }: Turn): object[] {
  return (grounding?.supports ?? []).flatMap(({ text: quote, sources }) => {
    const start_index = Buffer.byteLength(text.slice(0, text.indexOf(quote)));
    const end_index = start_index + Buffer.byteLength(quote);
    return sources.flatMap((index) => {
      const source = grounding?.sources[index];
      if (source === undefined) return [];
      const { uri: url, title } = source;
      return [{ type: 'url_citation', url, ...(title !== undefined && { title }), start_index, end_index }];
    });
  });
}

function convertUsage(turn: Turn, model: ModelVersion, request: GenerateRequest): Record<string, unknown> {
  const usage = asObject(buildChunks(turn, model, request, '').at(-1)?.usageMetadata);
  const count = (key: string) => Number(usage[key] ?? 0);
  return {
    total_input_tokens: count('promptTokenCount'),
    total_output_tokens: count('candidatesTokenCount'),
    total_thought_tokens: count('thoughtsTokenCount'),
    total_tool_use_tokens: count('toolUsePromptTokenCount'),
    total_cached_tokens: count('cachedContentTokenCount'),
    total_tokens: count('totalTokenCount'),
  };
}

/** The events that stream an interaction. Texts and arguments come in pieces. */
export function buildEvents(interaction: Record<string, unknown>, answer: Answer): Record<string, unknown>[] {
  const { steps: _, ...created } = interaction;
  return [
    { event_type: 'interaction.created', interaction: { ...created, status: 'in_progress' } },
    ...answer.steps.flatMap((step, index) =>
      streamStep(step).map((event) => ({ ...event, index, event_type: `step.${event.event_type}` })),
    ),
    ...(answer.status === 'in_progress'
      ? []
      : [{ event_type: 'interaction.completed', interaction: { ...created, ...endFields(answer) } }]),
  ].map((event, index) => ({ ...event, event_id: String(index + 1) }));
}

/** The fields of an interaction that its end sets, without the steps. */
export function endFields({ status, usage, errors }: Answer): Record<string, unknown> {
  return { status, usage, ...(errors && { errors }) };
}

function streamStep(step: Step): { event_type: string; step?: Step; delta?: object }[] {
  const { signature, ...unsigned } = step;
  const delta = (fields: object) => ({ event_type: 'delta', delta: fields });
  const stop = { event_type: 'stop' };
  switch (step.type) {
    case 'thought': {
      const { summary, ...start } = unsigned;
      const texts = Array.isArray(summary)
        ? summary.map((content) => ({ type: 'thought_summary', content }))
        : [];
      const signed = { type: 'thought_signature', signature };
      return [{ event_type: 'start', step: start }, ...texts.map(delta), delta(signed), stop];
    }
    case 'model_output': {
      const [{ text, annotations }] = step.content as [{ text: string; annotations?: object[] }];
      const pieces = text.match(new RegExp(`[^]{1,${TEXT_CHUNK_CHARS}}`, 'gu')) ?? [];
      return [
        { event_type: 'start', step: { type: 'model_output' } },
        ...pieces.map((piece) => delta({ type: 'text', text: piece })),
        ...(annotations ? [delta({ type: 'text_annotation_delta', annotations })] : []),
        stop,
      ];
    }
    case 'function_call': {
      const text = JSON.stringify(step.arguments);
      const half = Math.ceil(text.length / 2);
      return [
        { event_type: 'start', step: { ...step, arguments: {} } },
        ...[text.slice(0, half), text.slice(half)].map((piece) =>
          delta({ type: 'arguments_delta', arguments: piece }),
        ),
        stop,
      ];
    }
    default:
      return [{ event_type: 'start', step }, stop];
  }
}
