// Chooses the Gemini backend and its credentials from the environment, before any network access.

import { isOfDomain, usesVertex } from '../../core/contract/modelFacts.ts';
import { TerminalError } from '../../core/errors.ts';
import type { Environment } from '../credentials.ts';
import { PLACEHOLDER_KEY } from '../placeholderKey.ts';

/** Where requests go, in the SDK's own terms. Either `apiKey`, or `project` and `location`. */
export interface GeminiBackend {
  /** Whether requests go to Vertex AI instead of the Gemini API. */
  vertexai: boolean;
  /** The version in the path: `v1beta`. */
  apiVersion: string;
  /** The API key. Absent: `project` and `location` are set, and the default credentials are used. */
  apiKey?: string;
  /** The project on Vertex AI. */
  project?: string;
  /** The location on Vertex AI; `global` by default. */
  location?: string;
  /** Replaces Google's endpoint. Absent: Google's. */
  baseUrl?: string;
}

/**
 * Reads `GOOGLE_GENAI_USE_ENTERPRISE` (or `GOOGLE_GENAI_USE_VERTEXAI`), `GOOGLE_API_KEY` (before
 * `GEMINI_API_KEY`), `GOOGLE_CLOUD_PROJECT`, `GOOGLE_CLOUD_LOCATION` (default `global`),
 * `GOOGLE_GEMINI_BASE_URL` or `GOOGLE_VERTEX_BASE_URL`, and `GOOGLE_GENAI_API_VERSION` (default `v1beta`,
 * because the SDK's `v1` lacks preview models; `v1beta1` on Vertex AI).
 * @throws TerminalError `MODEL_CREDENTIALS` when Google's own endpoint would be asked without credentials.
 */
export function geminiBackend(env: Environment): GeminiBackend {
  const vertexai = usesVertex(env);
  const apiKey = env.GOOGLE_API_KEY || env.GEMINI_API_KEY;
  const baseUrl = (vertexai ? env.GOOGLE_VERTEX_BASE_URL : env.GOOGLE_GEMINI_BASE_URL) || undefined;
  const endpoint = {
    vertexai,
    apiVersion: apiVersion(env, vertexai),
    ...(baseUrl !== undefined && { baseUrl }),
  };

  if (vertexai && env.GOOGLE_CLOUD_PROJECT) {
    const location = env.GOOGLE_CLOUD_LOCATION || 'global';
    return { ...endpoint, project: env.GOOGLE_CLOUD_PROJECT, location };
  }
  if (apiKey) return { ...endpoint, apiKey };
  if (baseUrl !== undefined && !isOfDomain(baseUrl, 'googleapis.com'))
    return { ...endpoint, apiKey: PLACEHOLDER_KEY };
  throw new TerminalError(
    'MODEL_CREDENTIALS',
    vertexai
      ? 'No credentials for Gemini on Vertex AI: set GOOGLE_CLOUD_PROJECT (and GOOGLE_CLOUD_LOCATION), or GOOGLE_API_KEY.'
      : 'No credentials for Gemini: set GEMINI_API_KEY, or GOOGLE_GENAI_USE_VERTEXAI=true with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION.',
  );
}

function apiVersion(env: Environment, vertexai: boolean): string {
  const beta = vertexai ? 'v1beta1' : 'v1beta';
  const version = env.GOOGLE_GENAI_API_VERSION || beta;
  return version === 'beta' ? beta : version;
}
