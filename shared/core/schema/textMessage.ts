// The simplest message, which the runtime and the strategies write themselves.

import type { MessageDraft } from './message.ts';

/** A message of one text block. */
export function textMessage(role: MessageDraft['role'], text: string): MessageDraft {
  return { role, blocks: [{ blockType: 'text', textContent: text }] };
}
