// Thoughts and signatures: only its maker gets a signature; a thought without one is ordinary text.

import type { Block, BlockOf } from '../../core/schema/block.ts';
import { asText } from '../../text/json.ts';
import { isOwn, readProviderData, type Target, textBlock } from './portableMessage.ts';

/** The key a provider's signature has in `providerData`. Keys are not interchangeable. */
function signatureKey(provider: string): 'thought_signature' | 'signature' {
  return provider === 'google' ? 'thought_signature' : 'signature';
}

/** A thought as a provider sent it. */
export interface ReceivedThought {
  /** The thought, or its summary; can be empty. */
  text: string;
  /** The provider that sent it, and that can verify its signature. */
  provider: string;
  /** Empty counts as none. */
  signature?: string | undefined;
  /** The part with the signature, if not the thought: `function_call`, `text`, `empty_text`, … */
  carrier?: string | undefined;
}

/**
 * The literal rule of receiving: a signed thought is a thinking block; without a signature it cannot be
 * verified, so it becomes a text block with the same text.
 */
export function thinkingOrText({ text, provider, signature, carrier }: ReceivedThought): Block {
  if (asText(signature) === undefined) return { ...textBlock(text), provider };
  const data = { [signatureKey(provider)]: signature, ...(carrier !== undefined && { carrier }) };
  return { blockType: 'thinking', textContent: text, provider, providerData: JSON.stringify(data) };
}

/** The signature of a block in the form `provider` can read; undefined for blocks of other providers. */
export function readOwnSignature(block: Block, provider: Target): string | undefined {
  if (provider === null || !isOwn(block, provider)) return undefined;
  return asText(readProviderData(block)?.[signatureKey(provider)]);
}

/**
 * A thought in a form that the target can read: unchanged when the target signed it (or encrypted it whole),
 * else tagged text. Null for an empty thought without a signature of the target.
 */
export function thinkingFor(block: BlockOf<'thinking'>, target: Target): Block | null {
  const encrypted = isOwn(block, target) && readProviderData(block)?.type === 'redacted_thinking';
  if (encrypted || readOwnSignature(block, target) !== undefined) return block;
  if (block.textContent === '') return null;
  return textBlock(`<thinking>\n${block.textContent}\n</thinking>`);
}
