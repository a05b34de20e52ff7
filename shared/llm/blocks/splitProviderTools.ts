// Rewrites tools of another provider as texts: "I used…" by the assistant, the result by the user.

import {
  type Block,
  isOwnCall,
  isProviderRunUse,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../../core/schema/block.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import {
  GROUNDING_ID_PREFIX,
  isOwn,
  type PortableMessage,
  readProviderData,
  type Target,
  textBlock,
} from './portableMessage.ts';

const NO_RESULTS = 'No results found.';
const GROUNDING_SENTENCE = 'I searched Google for information.';

/**
 * Splits assistant messages at each provider-run tool that the target does not know: the blocks before it,
 * the exchange, the rest. Our own tools, and those the target ran itself with readable data, stay; a call
 * without a provider stays too.
 * - The result of a call is the one with its id, at any later position in the message. A search with an empty
 *   result takes the sources of the answer's grounding.
 * - Without such a result, a text right after the call (thoughts aside) is taken as its result: how results
 *   were stored before they were blocks. Google never gave results as text, so its calls take none.
 * - Calls without a result yet go to the end, where their results will follow.
 * - A provider's result without call, like the sources of a grounded answer, becomes an exchange too; Google
 *   itself does not get its grounding again.
 */
export function splitProviderTools(messages: readonly PortableMessage[], target: Target): PortableMessage[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? splitMessage(message, target) : [message],
  );
}

function splitMessage(message: PortableMessage, target: Target): PortableMessage[] {
  const { blocks } = message;
  // Calls take their results first, so that none is shown before the call it belongs to.
  const { answers, taken } = claimResults(blocks, target);
  const split: PortableMessage[] = [];
  const isAnswered = (call: Block) =>
    'toolUseId' in call &&
    blocks.some((block) => block.blockType === 'tool_result' && block.toolUseId === call.toolUseId);
  let current: Block[] = [];
  const waiting: Block[] = [];
  let changed = false;

  function addExchange(sentence: string, answer: string): void {
    if (current.length > 0) split.push({ role: 'assistant', blocks: current });
    current = [];
    split.push({ role: 'assistant', blocks: [textBlock(sentence)] });
    split.push({ role: 'user', blocks: [textBlock(answer)] });
  }

  blocks.forEach((block, index) => {
    const answer = answers.get(index);
    const isOurs = answer === undefined && !taken.has(index) && !isTextResult(block, target);
    if (isOurs) {
      if (isOwnCall(block) && !isAnswered(block)) waiting.push(block);
      else current.push(block);
      return;
    }
    changed = true;
    if (answer !== undefined && isProviderRunUse(block)) addExchange(usedSentence(block.toolName), answer);
    if (taken.has(index) || block.blockType !== 'tool_result') return;
    const text = toolResultText(block);
    if (!isGrounding(block)) {
      // A result of unknown kind can have no content that another provider can read.
      if (text !== '') addExchange(usedSentence(block.toolName), resultsText(text));
    } else if (target !== 'google') addExchange(GROUNDING_SENTENCE, resultsText(text));
  });
  if (!changed) return [message];
  const rest = [...current, ...waiting];
  return rest.length > 0 ? [...split, { role: 'assistant', blocks: rest }] : split;
}

interface Claims {
  /** The result texts of an exchange, by the index of its call. */
  answers: Map<number, string>;
  /** Indices of results that those exchanges hold. */
  taken: Set<number>;
}

function claimResults(blocks: readonly Block[], target: Target): Claims {
  const answers = new Map<number, string>();
  const taken = new Set<number>();
  const take = (matches: (block: Block, index: number) => boolean): Block | undefined => {
    const index = blocks.findIndex((block, at) => !taken.has(at) && matches(block, at));
    if (index !== -1) taken.add(index);
    return blocks[index];
  };

  blocks.forEach((use, index) => {
    if (!isProviderRunUse(use)) return;
    const isResult = (block: Block, at: number) =>
      at > index && block.blockType === 'tool_result' && block.toolUseId === use.toolUseId;
    const found = blocks.find((block, at) => !taken.has(at) && isResult(block, at));
    if (!isUnreadable(use, target) && (found === undefined || !isBroken(found))) return;

    const result = take(isResult);
    const sources = () => {
      const grounding = take((block) => block.blockType === 'tool_result' && isGrounding(block));
      return grounding?.blockType === 'tool_result' ? toolResultText(grounding) : undefined;
    };
    if (result?.blockType === 'tool_result') {
      answers.set(index, resultsText(toolResultText(result) || (sources() ?? '')));
      return;
    }
    const after = blocks.findIndex((block, at) => at > index && block.blockType !== 'thinking');
    const isText = (block: Block, at: number) => at === after && block.blockType === 'text';
    const text = use.provider === 'google' ? sources() : readTextContent(take(isText));
    answers.set(index, text === undefined ? NO_RESULTS : resultsText(text));
  });
  return { answers, taken };
}

function readTextContent(block: Block | undefined): string | undefined {
  return block?.blockType === 'text' ? block.textContent : undefined;
}

/** A tool's name is not always known. */
function usedSentence(toolName: string): string {
  return `I used the ${toolName === '' ? 'search' : toolName} tool to help answer your question.`;
}

function resultsText(text: string): string {
  return `Tool results:\n\n${text}`.trimEnd();
}

/** Whether the target cannot read a call or result that a provider ran. */
function isUnreadable(block: ToolUseBlock | ToolResultBlock, target: Target): boolean {
  if (block.provider === undefined) return block.blockType === 'web_search_use';
  return !isOwn(block, target) || isBroken(block);
}

/** Whether a block has provider data that can no longer be read. */
function isBroken(block: Block): boolean {
  return block.providerData !== undefined && readProviderData(block) === undefined;
}

function isTextResult(block: Block, target: Target): block is ToolResultBlock {
  if (block.blockType !== 'tool_result') return false;
  return isGrounding(block) || (block.executionSide === 'provider' && isUnreadable(block, target));
}

function isGrounding(block: ToolResultBlock): boolean {
  return block.toolUseId.startsWith(GROUNDING_ID_PREFIX);
}
