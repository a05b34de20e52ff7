// The steps of the Interactions API. An answer's steps are kept as they came; for blocks, calls and sources
// they are read as the parts that generateContent has for the same things.

import { asArray, asObject, asText, isObject, type JsonObject } from '../../text/json.ts';
import type { GeminiPart } from '../gemini/content.ts';

/** One step in the API's own shape. */
export type Step = JsonObject;

/** Steps of a stored interaction that the client sent: they are part of no answer. */
const SENT: ReadonlySet<unknown> = new Set(['user_input', 'function_result']);

/** Statuses of an interaction that is not over. The set of all statuses is open. */
const RUNNING: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/** Whether an interaction is still at work. */
export const isRunning = (status: unknown): boolean => RUNNING.has(status);

/** The steps that the model made. */
export function listAnswerSteps(steps: unknown): Step[] {
  return asArray(steps)
    .filter(isObject)
    .filter(({ type }) => !SENT.has(type));
}

/** An answer's steps as parts, in order. Signatures stay in the steps, but that of a shown thought. */
export function convertToParts(steps: readonly Step[]): GeminiPart[] {
  return steps.flatMap((step): GeminiPart[] => {
    const { type, arguments: args } = step;
    switch (type) {
      case 'thought':
        return thoughtParts(step);
      case 'model_output':
        return asArray(step.content).map(asObject).flatMap(contentParts);
      case 'function_call':
        return [{ functionCall: { ...named(step.id), name: step.name, args: asObject(args) } }];
      case 'function_result':
        // The API has run its call.
        return [{ functionResponse: { ...named(step.call_id), name: step.name } }];
      case 'code_execution_call':
        return [{ executableCode: { ...named(step.id), ...asObject(args) } }];
      case 'code_execution_result': {
        const outcome = step.is_error === true ? 'OUTCOME_FAILED' : 'OUTCOME_OK';
        return [{ codeExecutionResult: { ...named(step.call_id), outcome, output: joinTexts(step.result) } }];
      }
      case 'google_search_call':
        return [{ toolCall: { ...named(step.id), toolType: 'GOOGLE_SEARCH_WEB', args: asObject(args) } }];
      case 'google_search_result':
        return [{ toolResponse: { ...named(step.call_id), toolType: 'GOOGLE_SEARCH_WEB' } }];
      case 'url_context_call':
        return [{ toolCall: { ...named(step.id), toolType: 'URL_CONTEXT', args: asObject(args) } }];
      case 'url_context_result':
        return [{ toolResponse: { ...named(step.call_id), toolType: 'URL_CONTEXT' } }];
      default:
        return typeof type === 'string' && type !== 'user_input' ? [{ [type]: step }] : [];
    }
  });
}

function thoughtParts({ summary, signature }: Step): GeminiPart[] {
  const text = joinTexts(summary);
  if (text === '') return [];
  const thoughtSignature = asText(signature);
  return [{ text, thought: true, ...(thoughtSignature !== undefined && { thoughtSignature }) }];
}

function contentParts({ type, text, mime_type: mimeType, data, uri: fileUri }: JsonObject): GeminiPart[] {
  if (typeof text === 'string') return text === '' ? [] : [{ text }];
  if (type === 'text') return [];
  if (typeof data === 'string') return [{ inlineData: { mimeType, data } }];
  return typeof fileUri === 'string' ? [{ fileData: { mimeType, fileUri } }] : [];
}

function named(id: unknown): { id?: string } {
  const text = asText(id);
  return text === undefined ? {} : { id: text };
}

/** A text, or the texts of a list of contents. */
function joinTexts(value: unknown): string {
  if (typeof value === 'string') return value;
  return asArray(value)
    .map((content) => asText(asObject(content).text) ?? '')
    .join('');
}

/** The sources of an answer in the fields of a generateContent candidate. */
export function readStepSources(steps: readonly Step[]): JsonObject {
  const queries: unknown[] = [];
  const suggestions: string[] = [];
  const pages: JsonObject[] = [];
  for (const { type, arguments: args, result } of steps) {
    if (type === 'google_search_call') queries.push(...asArray(asObject(args).queries));
    if (type === 'google_search_result')
      suggestions.push(...asArray(result).flatMap((one) => asText(asObject(one).search_suggestions) ?? []));
    if (type === 'url_context_result') pages.push(...asArray(result).map(asObject));
  }
  const cited = readCitations(steps);
  const [renderedContent] = suggestions;
  return {
    groundingMetadata: {
      ...(queries.length > 0 && { webSearchQueries: queries }),
      ...(renderedContent !== undefined && { searchEntryPoint: { renderedContent } }),
      ...cited,
    },
    ...(pages.length > 0 && {
      urlContextMetadata: {
        urlMetadata: pages.map(({ url, status }) => ({
          retrievedUrl: url,
          ...(typeof status === 'string' && {
            urlRetrievalStatus: `URL_RETRIEVAL_STATUS_${status.toUpperCase()}`,
          }),
        })),
      },
    }),
  };
}

/** The cited addresses, and the words that they support. Offsets count the bytes of their own text. */
function readCitations(steps: readonly Step[]): JsonObject {
  const chunks = new Map<string, JsonObject>();
  const supports: JsonObject[] = [];
  let before = 0;
  for (const { type, content } of steps) {
    if (type !== 'model_output') continue;
    for (const { text, annotations } of asArray(content).map(asObject)) {
      if (typeof text !== 'string') continue;
      const bytes = Buffer.from(text);
      for (const { url, title, start_index: from, end_index: to } of asArray(annotations).map(asObject)) {
        const uri = asText(url);
        if (uri === undefined) continue;
        if (!chunks.has(uri)) chunks.set(uri, { web: { uri, ...(typeof title === 'string' && { title }) } });
        const start = isOffset(from) ? from : 0;
        if (!isOffset(to) || to <= start || to > bytes.length) continue;
        supports.push({
          segment: {
            startIndex: before + start,
            endIndex: before + to,
            text: bytes.subarray(start, to).toString(),
          },
          groundingChunkIndices: [[...chunks.keys()].indexOf(uri)],
        });
      }
      before += bytes.length;
    }
  }
  return {
    ...(chunks.size > 0 && { groundingChunks: [...chunks.values()] }),
    ...(supports.length > 0 && { groundingSupports: supports }),
  };
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
