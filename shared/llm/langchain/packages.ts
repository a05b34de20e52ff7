// Loads LangChain and the package of a provider, which are optional installs, and names missing packages.

import { NATIVE_PROVIDER, PROVIDER_PACKAGES } from '../../core/contract/modelFacts.ts';
import { errorMessage, TerminalError } from '../../core/errors.ts';
import { asObject } from '../../text/json.ts';

/** The part of LangChain that is used. */
export interface LangChain {
  /** Creates a model of any provider, whose package must be installed. */
  initChatModel(model: string, fields: Record<string, unknown>): Promise<ChatModel>;
  /** The package of each provider. */
  MODEL_PROVIDER_CONFIG: Record<string, { package: string }>;
}

/** The used part of a chat model. Chunks are untyped data: every provider fills them differently. */
export interface ChatModel {
  /** The same model with tools for function calling. */
  bindTools(tools: BoundTool[]): ChatModel;
  /** Sends messages and gives the answer in chunks. */
  stream(messages: WireMessage[], options: { signal: AbortSignal }): Promise<AsyncIterable<unknown>>;
}

/** A tool in OpenAI's form, which every provider's package takes. */
export interface BoundTool {
  /** Always `function`. */
  type: 'function';
  /** Wire name, description for the model, and JSON schema of the arguments. */
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** A message as LangChain takes it from those who do not import its classes. */
export type WireMessage =
  | { role: 'system' | 'user'; content: string }
  | AssistantMessage
  | { role: 'tool'; content: string; tool_call_id: string; name: string; status: 'success' | 'error' };

/** An earlier answer; with `content` as blocks, or with `output`, in its provider's own form. */
interface AssistantMessage {
  /** Always `assistant`. */
  role: 'assistant';
  /** Text, or the provider's own blocks. */
  content: string | Record<string, unknown>[];
  /** The calls of the answer. Absent: none. */
  tool_calls?: WireCall[];
  /** Output items of OpenAI's Responses API, which are sent in place of content and calls. */
  response_metadata?: { output: Record<string, unknown>[] };
}

/** A call of an earlier answer. */
export interface WireCall {
  /** Always `tool_call`. */
  type: 'tool_call';
  /** The id that its result names. */
  id: string;
  /** A wire name. */
  name: string;
  /** The arguments, as an object. */
  args: Record<string, unknown>;
}

/** Imports a module by its name. */
export type LoadModule = (specifier: string) => Promise<unknown>;

/** LangChain's module that makes a model of any provider. */
export const LANGCHAIN_MODULE = 'langchain/chat_models/universal';

/** The name stays a variable, so that bundlers leave these imports to the installation. */
const importModule: LoadModule = (specifier) => import(specifier);

/**
 * LangChain, once it is certain that it can make models of `provider`.
 * @throws TerminalError `CONFIG_INVALID` for a missing package, naming the one to install, and for an unknown
 * provider.
 */
export async function loadLangchain(provider: string, load: LoadModule = importModule): Promise<LangChain> {
  const langchain = (await loadFor(provider, LANGCHAIN_MODULE, load)) as LangChain;
  const known = langchain.MODEL_PROVIDER_CONFIG;
  const entry = Object.hasOwn(known, provider) ? known[provider] : undefined;
  if (entry === undefined) throw unknownProvider(provider, Object.keys(known));
  // LangChain imports it too, but hides the cause of a failure in a text.
  await loadFor(provider, entry.package, load);
  return langchain;
}

async function loadFor(provider: string, specifier: string, load: LoadModule): Promise<unknown> {
  try {
    return await load(specifier);
  } catch (error) {
    const missing = missingPackage(error);
    throw new TerminalError(
      'CONFIG_INVALID',
      missing === undefined
        ? `Provider "${provider}" needs "${specifier}", which cannot be loaded: ${errorMessage(error)}`
        : notInstalled(provider, missing),
      { cause: error },
    );
  }
}

function notInstalled(provider: string, missing: string): string {
  if (missing !== 'langchain') {
    return `Provider "${provider}" needs the package ${missing}, which is not installed: npm install ${missing}`;
  }
  const own = Object.hasOwn(PROVIDER_PACKAGES, provider) ? PROVIDER_PACKAGES[provider] : undefined;
  // npm install of a name made up from the configuration might install anything.
  if (own === undefined) return unknownProvider(provider, Object.keys(PROVIDER_PACKAGES)).message;
  return `Provider "${provider}" needs the packages langchain and ${own}; langchain is not installed: npm install langchain ${own}`;
}

function unknownProvider(provider: string, known: string[]): TerminalError {
  const others = known.filter((name) => name !== NATIVE_PROVIDER).sort();
  return new TerminalError(
    'CONFIG_INVALID',
    `Unknown provider "${provider}": use "${NATIVE_PROVIDER}", or one that LangChain knows: ${others.join(', ')}.`,
  );
}

/**
 * The package an import could not find. Node's error has a code for a missing module, but names the module
 * only in its text; it need not be the one that was asked for.
 */
function missingPackage(error: unknown): string | undefined {
  const { code } = asObject(error);
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined;
  const specifier = /Cannot find (?:package|module) '([^']+)'/.exec(errorMessage(error))?.[1];
  // A file that is missing within a package is a broken installation, not a missing one.
  return /^(?:@[\w.-]+\/)?[a-z][\w.-]*/.exec(specifier ?? '')?.[0];
}
