// A message that consists only of blocks, and the block helpers that several conversions share.

import type { Block, BlockOf } from '../../core/schema/block.ts';
import { isObject, type JsonObject, parseJson } from '../../text/json.ts';

/** A message whose whole content is blocks: input and output of conversions. */
export interface PortableMessage {
  /** The author; `tool` for results of tools. */
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** The content, in order. */
  blocks: Block[];
}

/**
 * Whose data a request is allowed to carry: a provider's name, or null for a model that can read no
 * provider's own data (a provider without signatures and server-side tools, or another family of models of
 * the same provider).
 */
export type Target = string | null;

/** The synthetic search result of a grounded answer is recognised by its id. */
export const GROUNDING_ID_PREFIX = 'google_grounding_';

/** A text block of ours. */
export function textBlock(textContent: string): BlockOf<'text'> {
  return { blockType: 'text', textContent };
}

/** A block's provider data; undefined when there is none or it is no JSON object. */
export function readProviderData(block: Block): JsonObject | undefined {
  const data = block.providerData === undefined ? undefined : parseJson(block.providerData);
  return isObject(data) ? data : undefined;
}

/** Whether the target made the block, so that it can get the provider data in it. */
export function isOwn(block: Block, target: Target): boolean {
  return target !== null && block.provider === target;
}
