// Embeds texts with Gemini. Nothing is loaded before the first text.

import type { GoogleGenAI } from '@google/genai';
import type { Embed, EmbedPurpose } from '../../contract/embedder.ts';
import { DEFAULT_EMBEDDING_MODEL, EMBEDDING_DIMENSIONS } from '../../contract/embedder.ts';
import { secondsText } from '../../text/amounts.ts';
import { cutText } from '../../text/cut.ts';
import { type Environment, listKnownSecrets } from '../credentials.ts';
import { modelFailure } from '../failures.ts';
import { geminiBackend } from './backend.ts';
import { geminiFailure } from './errors.ts';

/** The model takes 2048 tokens; of four characters each in English, fewer in logs. */
const MAX_CHARACTERS = 6_000;
/** A search without embeddings compares by spelling instead, so a long wait has no use. */
const TIMEOUT_MS = 10_000;
const TASKS: Record<EmbedPurpose, string> = { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' };

/**
 * Embeds with the backend that `env` names (see `geminiBackend`), which is resolved with the first text. Each
 * text is one attempt of 10 s at most; the first 6,000 characters are embedded.
 * @param model embeds documents and queries.
 * @param secrets values beside those of `env` that are masked in all messages.
 */
export function createEmbedder(
  env: Environment,
  secrets: readonly string[] = [],
  model: string = DEFAULT_EMBEDDING_MODEL,
): Embed {
  const hidden = [...listKnownSecrets(env), ...secrets, env.GOOGLE_API_KEY ?? '', env.GEMINI_API_KEY ?? ''];
  let connected: Promise<GoogleGenAI> | undefined;

  return async (text, purpose, signal) => {
    connected ??= connect(env);
    const ai = await connected;
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    let values: number[];
    try {
      const response = await ai.models.embedContent({
        model,
        contents: cutText(text, MAX_CHARACTERS).toWellFormed(),
        config: {
          taskType: TASKS[purpose],
          outputDimensionality: EMBEDDING_DIMENSIONS,
          httpOptions: { fetch: fetchHere },
          abortSignal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        },
      });
      values = response.embeddings?.[0]?.values ?? [];
    } catch (error) {
      signal?.throwIfAborted();
      if (limit.aborted)
        throw modelFailure('unavailable', `Gemini embedded nothing within ${secondsText(TIMEOUT_MS)}.`).error;
      throw geminiFailure(error, { model, streaming: false, secrets: hidden }).error;
    }
    if (values.length === EMBEDDING_DIMENSIONS) return { model, vector: values };
    const message = `Gemini gave a vector of ${values.length} numbers instead of ${EMBEDDING_DIMENSIONS}.`;
    throw modelFailure('empty', message).error;
  };
}

/** The key goes along with a request, so that a redirect is not followed. */
const fetchHere: typeof fetch = (url, init) => fetch(url, { ...init, redirect: 'error' });

async function connect(env: Environment): Promise<GoogleGenAI> {
  const { baseUrl, ...backend } = geminiBackend(env);
  const { GoogleGenAI: Client } = await import('@google/genai');
  return new Client({ ...backend, ...(baseUrl !== undefined && { httpOptions: { baseUrl } }) });
}
