// Which Gemini answers: the real one when credentials are set, or a scripted one.

import type { Environment } from './processes/childProcess.ts';
import { startScriptedGemini } from './scriptedGemini/server.ts';

export interface ChosenModel {
  /** For people: which one it is. */
  description: string;
  /** What the functions need in their environment to reach it; undefined removes a variable. */
  env: Environment;
  stop(): Promise<void>;
}

/** The real model that the credentials of an environment lead to; undefined without any. */
export function realModel(env: NodeJS.ProcessEnv): ChosenModel | undefined {
  const description = describeRealModel(env);
  return description === undefined ? undefined : withoutServer(description);
}

/** A model that needs no server here. */
export function withoutServer(description: string): ChosenModel {
  return { description, env: {}, stop: () => Promise.resolve() };
}

/**
 * Starts a scripted Gemini on 127.0.0.1. It replaces a real one: the credentials of that are kept from the functions.
 * @param options.why for people: why no real model is asked.
 * @param options.port default: any free one.
 * @throws what `startScriptedGemini` throws.
 */
export async function scriptedModel(options: {
  scriptFile: string;
  why: string;
  port?: number | undefined;
}): Promise<ChosenModel> {
  const { scriptFile, why, port = 0 } = options;
  const scripted = await startScriptedGemini({ script: scriptFile, port });
  return {
    description: `scripted Gemini at ${scripted.url} (${why})`,
    env: {
      GOOGLE_GEMINI_BASE_URL: scripted.url,
      // No word of the output: what is known as a key is masked.
      GEMINI_API_KEY: 'no-key-is-needed',
      GOOGLE_API_KEY: undefined,
      GOOGLE_GENAI_USE_VERTEXAI: undefined,
      GOOGLE_GENAI_USE_ENTERPRISE: undefined,
    },
    stop: () => scripted.stop(),
  };
}

/** Whether Gemini is asked through Vertex AI, in the project `GOOGLE_CLOUD_PROJECT`. */
export function usesVertex(env: NodeJS.ProcessEnv): boolean {
  const isSet = (name: string) => ['true', '1'].includes((env[name] ?? '').toLowerCase());
  return isSet('GOOGLE_GENAI_USE_ENTERPRISE') || isSet('GOOGLE_GENAI_USE_VERTEXAI');
}

function describeRealModel(env: NodeJS.ProcessEnv): string | undefined {
  if (usesVertex(env)) return 'Gemini on Vertex AI';
  if (env.GOOGLE_GEMINI_BASE_URL) return `Gemini API at ${env.GOOGLE_GEMINI_BASE_URL}`;
  if (env.GEMINI_API_KEY || env.GOOGLE_API_KEY) return 'Gemini API';
  return undefined;
}
