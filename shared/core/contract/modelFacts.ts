// The capabilities of providers and models, derived from their names.

import type { Agent, ModelSettings, NativeTool } from '../schema/agent.ts';
import { allowsExternalTools, isExternalNativeTool } from './externalTools.ts';
import { bareModelName, isGemini3OrLater } from './geminiVersion.ts';
import type { ToolDefinition } from './tools.ts';

/** The provider whose models have a client of their own, with signatures and native tools. */
export const NATIVE_PROVIDER = 'google';

/** Whether requests to the native provider go to Vertex AI. */
export function usesVertex(env: Readonly<Record<string, string | undefined>>): boolean {
  const value = env.GOOGLE_GENAI_USE_ENTERPRISE ?? env.GOOGLE_GENAI_USE_VERTEXAI;
  return value === '1' || value?.toLowerCase() === 'true';
}

/** The npm package of each provider that is called through LangChain. */
export const PROVIDER_PACKAGES: Readonly<Record<string, string>> = {
  openai: '@langchain/openai',
  anthropic: '@langchain/anthropic',
  azure_openai: '@langchain/openai',
  langsmith: '@langchain/openai',
  cohere: '@langchain/cohere',
  'google-vertexai': '@langchain/google-vertexai',
  'google-vertexai-web': '@langchain/google-vertexai-web',
  'google-genai': '@langchain/google-genai',
  ollama: '@langchain/ollama',
  mistralai: '@langchain/mistralai',
  mistral: '@langchain/mistralai',
  groq: '@langchain/groq',
  bedrock: '@langchain/aws',
  aws: '@langchain/aws',
  deepseek: '@langchain/deepseek',
  xai: '@langchain/xai',
  cerebras: '@langchain/cerebras',
  fireworks: '@langchain/fireworks',
  together: '@langchain/together-ai',
  perplexity: '@langchain/perplexity',
};

/** Where the packages of providers find their keys. Absent: credentials of another kind, or none. */
export const KEY_VARIABLES: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  azure_openai: 'AZURE_OPENAI_API_KEY',
  cohere: 'COHERE_API_KEY',
  'google-genai': 'GOOGLE_API_KEY',
  mistralai: 'MISTRAL_API_KEY',
  mistral: 'MISTRAL_API_KEY',
  groq: 'GROQ_API_KEY',
  deepseek: 'DEEPSEEK_API_KEY',
  xai: 'XAI_API_KEY',
  cerebras: 'CEREBRAS_API_KEY',
  fireworks: 'FIREWORKS_API_KEY',
  together: 'TOGETHER_AI_API_KEY',
  perplexity: 'PERPLEXITY_API_KEY',
};

/** Whether an address belongs to a domain: `googleapis.com` itself, or a host below it. */
export function isOfDomain(url: string, domain: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === domain || host.endsWith(`.${domain}`);
}

/** Whether calls of a provider need its key: a local server of OpenAI's protocol can work without. */
export function needsKey(
  provider: string,
  { OPENAI_BASE_URL: url }: Readonly<Record<string, string | undefined>>,
): boolean {
  return (
    KEY_VARIABLES[provider] !== undefined && (provider !== 'openai' || !url || isOfDomain(url, 'openai.com'))
  );
}

/** Further variables that packages of providers read: addresses, names, accounts. All are optional. */
export const PROVIDER_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  openai: ['OPENAI_BASE_URL', 'OPENAI_ORGANIZATION'],
  azure_openai: [
    'AZURE_OPENAI_API_INSTANCE_NAME',
    'AZURE_OPENAI_API_DEPLOYMENT_NAME',
    'AZURE_OPENAI_API_VERSION',
    'AZURE_OPENAI_BASE_PATH',
    'AZURE_OPENAI_ENDPOINT',
  ],
  bedrock: ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  aws: ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ollama: ['OLLAMA_BASE_URL'],
};

/** Every provider that configuration can use. */
export const PROVIDERS: readonly string[] = [NATIVE_PROVIDER, ...Object.keys(PROVIDER_PACKAGES)];

/** Whether a provider is called by the native client, the only one with native tools. */
export function isNative(provider: string | undefined): boolean {
  return provider === NATIVE_PROVIDER;
}

/** Providers whose LangChain models have no function calling. */
const WITHOUT_FUNCTION_CALLING: readonly string[] = ['perplexity'];

/** Whether tools can be bound to a provider's models for function calling, according to its name. */
export function bindsTools(provider: string): boolean {
  return !WITHOUT_FUNCTION_CALLING.includes(provider);
}

/** Whether `thinkingLevel` can be set for a provider's models. */
export function takesThinkingLevel(provider: string): boolean {
  return isNative(provider) || provider === 'openai' || provider === 'azure_openai';
}

/** OpenAI's models that think before they answer: they refuse a temperature. */
const OPENAI_THINKING = /^(?:o\d|gpt-5)/;

/**
 * Whether a temperature is sent to a model, according to its name. Google recommends the default temperature
 * for Gemini 3 and later.
 */
export function takesTemperature({ provider, model }: Pick<ModelSettings, 'provider' | 'model'>): boolean {
  if (isNative(provider)) return !isGemini3OrLater(model);
  return provider === 'openai' || provider === 'azure_openai' ? !OPENAI_THINKING.test(model) : true;
}

/** The largest answers of models, in tokens with thoughts, by start of the name; the first match counts. */
const OUTPUT_LIMITS: readonly [pattern: RegExp, tokens: number][] = [
  [/^gemini-(?:1|2\.0)/, 8_192],
  [/^gemini-/, 65_536],
  [/^gpt-(?:3|4-)/, 8_192],
  [/^gpt-4o/, 16_384],
  [/^gpt-4\.1/, 32_768],
  [/^(?:gpt-5|o\d)/, 128_000],
  [/claude-3-[^57]/, 8_192],
  [/claude-opus-4/, 32_000],
  [/claude-3-5/, 8_192],
  [/claude-/, 64_000],
];

/** The answer limit of a model whose name matches no pattern: that of current models. */
const UNKNOWN_OUTPUT_LIMIT = 65_536;

/** Maximum tokens of a model's answer, including thoughts: as configured, otherwise by its name. */
export function outputLimit({
  model,
  maxOutputTokens,
}: Pick<ModelSettings, 'model' | 'maxOutputTokens'>): number {
  if (maxOutputTokens !== undefined) return maxOutputTokens;
  const name = bareModelName(model);
  return OUTPUT_LIMITS.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN_OUTPUT_LIMIT;
}

/** Whether a model accepts native tools and function tools in one request, according to its name. */
export function canCombine(model: string): boolean {
  return isGemini3OrLater(model);
}

/** The requirement of `combineNativeTools`, as used in error messages. */
export const COMBINING_NEEDS = 'that needs Gemini 3 or later, on the Gemini API';

/**
 * The native tools of an agent that are bound together with these function tools: all of them if there are no
 * function tools or `combineNativeTools` is set, else none. External ones are bound only if `outsideTools` of
 * the agent allows it.
 */
export function boundNativeTools(
  agent: Pick<Agent, 'tools' | 'nativeTools' | 'combineNativeTools' | 'outsideTools'>,
  tools: readonly ToolDefinition[],
): NativeTool[] {
  const bound = tools.length === 0 || agent.combineNativeTools ? agent.nativeTools : [];
  return allowsExternalTools(agent, tools) ? bound : bound.filter((tool) => !isExternalNativeTool(tool));
}
