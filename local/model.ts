// Selects the model: the real Gemini when credentials are set, or a scripted one.

import type { Environment } from './processes/childProcess.ts';
import type { NamedAlert } from './scriptedModel/modelScript.ts';
import { startScriptedModel } from './scriptedModel/startScriptedModel.ts';

/** The selected model. */
export interface SelectedModel {
  /** For the output of commands: `Gemini API`. */
  description: string;
  /** Variables with which the functions reach it; undefined removes a variable. */
  env: Environment;
  /** Stops a scripted model. Without effect on a real one. */
  stop(): Promise<void>;
}

/** The real model for the credentials of an environment; undefined without credentials. */
export function realModel(env: NodeJS.ProcessEnv): SelectedModel | undefined {
  const description = describeRealModel(env);
  return description === undefined ? undefined : withoutServer(description);
}

/** A model without a server on this machine. */
export function withoutServer(description: string): SelectedModel {
  return { description, env: {}, stop: () => Promise.resolve() };
}

/**
 * Starts a scripted Gemini on 127.0.0.1. It replaces a real one: the functions do not get the credentials of
 * the real one.
 * @param options.why the reason, for the description.
 * @param options.port default: any free port.
 * @throws like `startScriptedModel`.
 */
export async function scriptedModel(options: {
  scriptFile: string;
  why: string;
  port?: number | undefined;
}): Promise<SelectedModel> {
  const { scriptFile, why, port = 0 } = options;
  const scripted = await startScriptedModel({ script: scriptFile, port });
  return {
    description: `scripted Gemini at ${scripted.url} (${why}); it answers ${describeAlerts(scripted.alerts)}`,
    env: {
      GOOGLE_GEMINI_BASE_URL: scripted.url,
      // Keys are masked in all output, so this must not be a word that occurs there.
      GEMINI_API_KEY: 'no-key-is-needed',
      GOOGLE_API_KEY: undefined,
      GOOGLE_GENAI_USE_VERTEXAI: undefined,
      GOOGLE_GENAI_USE_ENTERPRISE: undefined,
    },
    stop: () => scripted.stop(),
  };
}

function describeAlerts(alerts: readonly NamedAlert[] | undefined): string {
  if (alerts === undefined) return 'every alert, marked as scripted';
  const named = alerts.map(({ title, labels }) => {
    const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    return [title === undefined ? 'any' : `"${title}"`, ...pairs].join(' ');
  });
  return `the alert ${named.join(', ')} only; with GEMINI_API_KEY, Gemini answers all`;
}

/** Whether requests go to Vertex AI, in the project `GOOGLE_CLOUD_PROJECT`. */
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
