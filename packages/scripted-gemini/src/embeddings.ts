// Embeddings of the scripted Gemini: the API's paths, and vectors from words of a text.

import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { type ApiError, apiError, invalidArgument } from './apiError.ts';
import { parseJson } from './json.ts';
import { describeFault } from './requestSchema.ts';

/** The models that embed; each has vectors of its own. */
const EMBEDDING_MODELS = ['gemini-embedding-001', 'gemini-embedding-2'];
/** The maximum of the API, and the default of the model. */
const MAX_DIMENSIONS = 3_072;
/** Requests of one batch. */
const MAX_REQUESTS = 100;
/** The similarity of texts without a common word: real embeddings are never orthogonal. */
const BASE = 0.25;

const TASKS = [
  'TASK_TYPE_UNSPECIFIED',
  'RETRIEVAL_QUERY',
  'RETRIEVAL_DOCUMENT',
  'SEMANTIC_SIMILARITY',
  'CLASSIFICATION',
  'CLUSTERING',
  'QUESTION_ANSWERING',
  'FACT_VERIFICATION',
  'CODE_RETRIEVAL_QUERY',
] as const;
const dimensions = z.int().min(1).max(MAX_DIMENSIONS).optional();
const task = z.enum(TASKS).optional();

const batchSchema = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        model: z.string(),
        content: z.strictObject({
          role: z.string().optional(),
          parts: z.array(z.strictObject({ text: z.string() })).min(1),
        }),
        taskType: task,
        title: z.string().optional(),
        outputDimensionality: dimensions,
      }),
    )
    .min(1)
    .max(MAX_REQUESTS),
});
const vertexSchema = z.strictObject({
  // gemini-embedding-001 takes one text a request.
  instances: z
    .array(z.strictObject({ content: z.string(), task_type: task, title: z.string().optional() }))
    .length(1),
  parameters: z
    .strictObject({ outputDimensionality: dimensions, autoTruncate: z.boolean().optional() })
    .optional(),
});

const PATH =
  /^\/(?:v1|v1beta|v1beta1)\/((?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/)?models\/([^/:]+):(batchEmbedContents|predict)$/;

/** The path of a request for embeddings. */
interface EmbedRoute {
  /** Name of the model in the path. */
  model: string;
  /** Whether the request came by the paths of Vertex AI. */
  vertex: boolean;
}

/** Undefined when the request asks for something else. */
export function findEmbedRoute(request: IncomingMessage): EmbedRoute | undefined {
  const match = PATH.exec(new URL(request.url ?? '/', 'http://localhost').pathname);
  if (match === null || request.method !== 'POST') return undefined;
  const [, publisher, model = '', method] = match;
  const vertex = publisher !== undefined;
  return vertex === (method === 'predict') ? { model, vertex } : undefined;
}

/** The texts that a request asks to embed, and the API's answer. */
interface Embedded {
  /** The texts in the order of the request. */
  texts: string[];
  /** The JSON body of the response. */
  body: unknown;
}

/** The answer to a request's body, or the API's error. */
export function embedTexts(
  { model, vertex }: EmbedRoute,
  text: string,
  models?: readonly string[],
): Embedded | ApiError {
  if (!EMBEDDING_MODELS.includes(model) || models?.includes(model) === false)
    return apiError(404, `models/${model} is not found, or is not supported for embedContent.`);
  return vertex ? embedVertex(model, text) : embedBatch(model, text);
}

function embedBatch(name: string, text: string): Embedded | ApiError {
  const parsed = batchSchema.safeParse(parseJson(text));
  if (!parsed.success) return invalidArgument(describeFault(parsed.error));
  const { requests } = parsed.data;
  if (requests.some(({ model }) => model !== `models/${name}`))
    return invalidArgument('All requests of a batch must name the model of the path.');
  const texts = requests.map(({ content }) => content.parts.map((part) => part.text).join('\n'));
  const empty = texts.some((one) => one === '');
  if (empty) return invalidArgument('content is empty.');
  const embeddings = texts.map((one, index) => ({
    values: embedWords(name, one, requests[index]?.outputDimensionality),
  }));
  return { texts, body: { embeddings } };
}

function embedVertex(name: string, text: string): Embedded | ApiError {
  const parsed = vertexSchema.safeParse(parseJson(text));
  if (!parsed.success) return invalidArgument(describeFault(parsed.error));
  const texts = parsed.data.instances.map(({ content }) => content);
  if (texts.includes('')) return invalidArgument('The text content is empty.');
  const predictions = texts.map((one) => ({
    embeddings: {
      values: embedWords(name, one, parsed.data.parameters?.outputDimensionality),
      statistics: { truncated: false, token_count: one.split(/\s+/).length },
    },
  }));
  return { texts, body: { predictions } };
}

/** Depends on the set of words, not their order. Texts with more common words are closer. */
function embedWords(model: string, text: string, size = MAX_DIMENSIONS): number[] {
  const counts = Array.from({ length: size }, () => 0);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]{3,}/gu)) {
    const own = model === EMBEDDING_MODELS[0] ? word : `${model} ${word}`;
    const at = 1 + (hashWord(own) % Math.max(1, size - 1));
    if (at < size) counts[at] = 1;
  }
  const length = Math.sqrt(counts.reduce((sum, count) => sum + count, 0)) || 1;
  const weight = Math.sqrt(1 - BASE);
  return counts.map((count, index) => (index === 0 ? Math.sqrt(BASE) : (count / length) * weight));
}

/** FNV-1a: the same on every machine. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(word)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
