// Which Gemini answers: the real one when credentials are set, else the scripted one of an example.

import { startScriptedGemini } from './scriptedGemini/server.ts';

export interface ChosenModel {
  /** For people: which one it is. */
  description: string;
  /** What the functions need in their environment to reach it. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts the scripted Gemini with `scriptFile`, unless `env` holds a key, Vertex AI settings, or another endpoint. */
export async function chooseModel(env: NodeJS.ProcessEnv, scriptFile: string): Promise<ChosenModel> {
  const real = realModel(env);
  if (real !== undefined) return { description: real, env: {}, stop: () => Promise.resolve() };
  const scripted = await startScriptedGemini({ script: scriptFile });
  return {
    description: `scripted Gemini at ${scripted.url} (no GEMINI_API_KEY is set)`,
    env: { GOOGLE_GEMINI_BASE_URL: scripted.url, GEMINI_API_KEY: 'scripted' },
    stop: () => scripted.stop(),
  };
}

function realModel(env: NodeJS.ProcessEnv): string | undefined {
  const isSet = (name: string) => ['true', '1'].includes((env[name] ?? '').toLowerCase());
  if (isSet('GOOGLE_GENAI_USE_ENTERPRISE') || isSet('GOOGLE_GENAI_USE_VERTEXAI'))
    return 'Gemini on Vertex AI';
  if (env.GOOGLE_GEMINI_BASE_URL) return `Gemini API at ${env.GOOGLE_GEMINI_BASE_URL}`;
  if (env.GEMINI_API_KEY || env.GOOGLE_API_KEY) return 'Gemini API';
  return undefined;
}
