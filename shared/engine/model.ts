// The models of an engine: settings that requests carry, and what their clients need.

import { TerminalError } from '../core/errors.ts';
import type { ModelSettings } from '../core/schema/agent.ts';
import { SCRIPT_PROVIDER } from '../llm/scriptClient.ts';

/** Settings of a model beside its provider and name. Absent ones use the provider's default. */
export type ModelOptions = Partial<Omit<ModelSettings, 'provider' | 'model'>>;

/** A model that agents can use. */
export interface Model {
  readonly settings: ModelSettings;
  /** The key of the Gemini API. Absent: the environment's. */
  readonly apiKey?: string;
}

/**
 * A Gemini model, through the Gemini API or Vertex AI.
 * @param name the provider's id: `gemini-3.8-flash`.
 * @param options.apiKey the same for all models of an engine. Default: `GEMINI_API_KEY`, or Vertex AI as
 * Google's SDK reads it of the environment.
 */
export function gemini(name: string, { apiKey, ...options }: ModelOptions & { apiKey?: string } = {}): Model {
  const settings = { provider: 'google', model: name, includeThoughts: true, ...options };
  return { settings, ...(apiKey !== undefined && { apiKey }) };
}

/**
 * A model of another provider, through LangChain, whose packages the program installs.
 * @param name provider and id of the model: `openai/gpt-5`, `anthropic/claude-sonnet-4-5`.
 * @throws TerminalError `CONFIG_INVALID` for a name without provider.
 */
export function langchain(name: string, options: ModelOptions = {}): Model {
  const slash = name.indexOf('/');
  if (slash < 1 || slash === name.length - 1)
    throw new TerminalError(
      'CONFIG_INVALID',
      `langchain: "${name}" must be PROVIDER/MODEL, for example openai/gpt-5`,
    );
  const [provider, model] = [name.slice(0, slash), name.slice(slash + 1)];
  return { settings: { provider, model, includeThoughts: true, ...options } };
}

/**
 * A script in the place of a model, for tests and programs without a key.
 * @param file path of a YAML or JSON file with the answers, by conversation and turn.
 */
export function script(file: string): Model {
  return { settings: { provider: SCRIPT_PROVIDER, model: file, includeThoughts: false } };
}
