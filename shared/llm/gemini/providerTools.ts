// Tools that Google ran, as calls and results: code, server-side tools, functions of its servers.

import { NATIVE_PROVIDER } from '../../core/contract/modelFacts.ts';
import type { Block } from '../../core/schema/block.ts';
import { asObject, asText, isObject, type JsonObject } from '../../text/json.ts';
import type { GeminiPart } from './content.ts';

type Kind = 'code' | 'tool' | 'function';

interface Use {
  /** The form of the parts: code, a server-side tool, or a function. */
  kind: Kind;
  /** The id of the call; undefined if Gemini sent none. */
  id: string | undefined;
  /** The name under which blocks show the tool. */
  toolName: string;
  /** The arguments, unchecked. */
  input: unknown;
}

interface Result {
  /** The form of the parts, equal to that of its call. */
  kind: Kind;
  /** The id of its call; undefined if Gemini sent none. */
  id: string | undefined;
  /** The name under which blocks show the tool. */
  toolName: string;
  /** The result as text. */
  text: string;
  /** Whether the tool failed. */
  isError: boolean;
}

type Common = Pick<Block, 'executionSide' | 'provider' | 'providerData'>;

/** The search tool has one name, whichever provider runs it. */
const TOOL_NAMES: Record<string, string> = { GOOGLE_SEARCH_WEB: 'web_search' };

/**
 * Turns parts of provider-run tools into blocks; stateful, because a result is paired with a call before it:
 * by id, else by order (older models give no ids). Parts of other kinds give undefined.
 * @param answerId makes the ids of calls without one unique.
 */
export function googleToolReader(answerId: string): (part: GeminiPart) => Block[] {
  const open: { use: Use; toolUseId: string }[] = [];
  let count = 0;
  const newId = (kind: Kind) => `google_${kind}_${answerId}_${count++}`;

  function pairedId(result: Result): string | undefined {
    const index = waitingUse(
      open.map(({ use }) => use),
      result,
    );
    return index === -1 ? undefined : open.splice(index, 1)[0]?.toolUseId;
  }

  function useBlock(use: Use, common: Common): Block {
    const toolUseId = use.id ?? newId(use.kind);
    // Code followed by other code never got a result; it must not take the other's.
    const skipped = open.findIndex((one) => one.use.kind === 'code' && one.use.id === undefined);
    if (use.kind === 'code' && skipped !== -1) open.splice(skipped, 1);
    open.push({ use, toolUseId });
    const input = JSON.stringify(use.input);
    return { blockType: 'tool_use', toolUseId, toolName: use.toolName, input, ...common };
  }

  function resultBlock(result: Result, common: Common): Block {
    return {
      blockType: 'tool_result',
      toolUseId: pairedId(result) ?? result.id ?? newId(result.kind),
      toolName: result.toolName,
      isError: result.isError,
      textContent: result.text,
      ...common,
    };
  }

  return (part) => {
    const use = readProviderUse(part);
    const result = readProviderResult(part);
    if (use === undefined && result === undefined) return [];
    const providerData = JSON.stringify(withoutSuggestions(part));
    const common: Common = { executionSide: 'provider', provider: NATIVE_PROVIDER, providerData };
    return [
      ...(use === undefined ? [] : [useBlock(use, common)]),
      ...(result === undefined ? [] : [resultBlock(result, common)]),
    ];
  };
}

/** The part without HTML of search suggestions, which only the raw parts keep, for the replay. */
function withoutSuggestions(part: GeminiPart): GeminiPart {
  if (!isObject(part.toolResponse)) return part;
  const { response, ...toolResponse } = part.toolResponse;
  if (!isObject(response)) return part;
  const { search_suggestions: _, ...rest } = response;
  return { ...part, toolResponse: { ...toolResponse, response: rest } };
}

function readProviderUse(part: GeminiPart): Use | undefined {
  if (isObject(part.executableCode)) {
    const { id, language, code } = part.executableCode;
    return { kind: 'code', id: asText(id), toolName: 'code_execution', input: { language, code } };
  }
  if (isObject(part.toolCall)) {
    const { id, toolType, args } = part.toolCall;
    return { kind: 'tool', id: asText(id), toolName: toolName(toolType), input: args ?? {} };
  }
  if (isObject(part.functionCall)) {
    const { id, name, args } = part.functionCall;
    return { kind: 'function', id: asText(id), toolName: asText(name) ?? '', input: args ?? {} };
  }
  return undefined;
}

function readProviderResult(part: GeminiPart): Result | undefined {
  if (isObject(part.codeExecutionResult)) {
    const { id, outcome, output } = part.codeExecutionResult;
    // Only an explicit outcome can show that the code failed.
    const isError = asText(outcome) !== undefined && outcome !== 'OUTCOME_OK';
    return { kind: 'code', id: asText(id), toolName: 'code_execution', text: asText(output) ?? '', isError };
  }
  if (isObject(part.toolResponse)) {
    const { id, toolType, response } = part.toolResponse;
    // A search answers with an HTML chip for people; its sources are in the grounding metadata.
    const { search_suggestions: _, ...rest } = asObject(response);
    const text = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
    return { kind: 'tool', id: asText(id), toolName: toolName(toolType), text, isError: false };
  }
  if (isObject(part.functionResponse)) {
    const { id, name, response } = part.functionResponse;
    return {
      kind: 'function',
      id: asText(id),
      toolName: asText(name) ?? '',
      ...functionOutcome(asObject(response)),
    };
  }
  return undefined;
}

function functionOutcome(response: JsonObject): { text: string; isError: boolean } {
  const isError = response.error !== undefined && response.error !== null;
  const only = Object.keys(response).length === 1 ? (response.output ?? response.error) : undefined;
  const text = typeof only === 'string' ? only : JSON.stringify(response);
  return { text: text === '{}' ? '' : text, isError };
}

function toolName(toolType: unknown): string {
  const type = asText(toolType) ?? '';
  return TOOL_NAMES[type] ?? type.toLowerCase();
}

/**
 * By id; else, when one of both has none, code pairs with the code before it and a tool with the first of its
 * name. A function pairs by name even then, like in `executableCalls`.
 */
function waitingUse(open: readonly Use[], result: Result): number {
  const { kind, id, toolName } = result;
  const alike = (use: Use) => use.kind === kind && (kind === 'code' || use.toolName === toolName);
  const byId = open.findIndex((use) => use.kind === kind && id !== undefined && use.id === id);
  if (byId !== -1) return byId;
  return open.findIndex(
    (use) => alike(use) && (kind === 'function' || use.id === undefined || id === undefined),
  );
}
