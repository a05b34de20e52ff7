// The prompt of an agent that is asked directly, without investigation, and parts that prompts share.

import { frameRule } from '../text/untrustedFrame.ts';

/** The instructions of an agent, preceded by the context of the user. */
export function withUserContext(prompt: string, hint: string | undefined): string {
  const text = hint?.trim() ?? '';
  return text === '' ? prompt.trim() : joinParts([`## User Context\n${text}`, prompt]);
}

/**
 * The system prompt of an agent that is asked directly, outside of an investigation: the rule about untrusted
 * data, and at its end, byte for byte, the context of the user and the agent's own text.
 * @param options.userContext known facts about the user, masked. Absent: none.
 * @param options.nonce of the session: 12 hexadecimal digits.
 */
export function directPrompt(
  { instructions }: { instructions: string },
  { userContext, nonce }: { userContext?: string; nonce: string },
): string {
  return joinParts([frameRule(nonce), withUserContext(instructions, userContext)]);
}

/** The parts that have a text, with blank lines between them. */
export function joinParts(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}
