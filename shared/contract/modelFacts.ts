// The capabilities of providers and models, derived from their names.

import type { Agent, NativeTool } from '../schema/agent.ts';
import { isGemini3OrLater } from './geminiVersion.ts';
import { mayReachOutside, reachesOutside } from './reach.ts';
import type { ToolDefinition } from './tools.ts';

/** The provider whose models have a client of their own, with tools, signatures and native tools. */
export const NATIVE_PROVIDER = 'google';

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

/** Every provider that configuration may use. */
export const PROVIDERS: readonly string[] = [NATIVE_PROVIDER, ...Object.keys(PROVIDER_PACKAGES)];

/** Whether a provider is called by the native client, the only one that binds tools. */
export function isNative(provider: string | undefined): boolean {
  return provider === NATIVE_PROVIDER;
}

/** Whether `thinkingLevel` can be set for a provider's models. */
export function takesThinkingLevel(provider: string): boolean {
  return isNative(provider) || provider === 'openai' || provider === 'azure_openai';
}

/** Whether a model takes native tools and function tools in one request, as far as its name says. */
export function canCombine(model: string): boolean {
  return isGemini3OrLater(model);
}

/** The requirement of `combineNativeTools`, as used in error messages. */
export const COMBINING_NEEDS = 'that needs Gemini 3 or later, on the Gemini API';

/**
 * The native tools of an agent that are bound together with these function tools: all of them if there are no function
 * tools or `combineNativeTools` is set, else none (seed: native tools and MCP tools exclude each other). Those that reach
 * outside only where `outsideTools` of the agent allows it.
 */
export function boundNativeTools(
  agent: Pick<Agent, 'tools' | 'nativeTools' | 'combineNativeTools' | 'outsideTools'>,
  tools: readonly ToolDefinition[],
): NativeTool[] {
  const bound = tools.length === 0 || agent.combineNativeTools ? agent.nativeTools : [];
  return mayReachOutside(agent, tools) ? bound : bound.filter((tool) => !reachesOutside(tool));
}
