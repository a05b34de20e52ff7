// The message with a finding by rule, before an agent's model is asked for the first time.

import { frameData } from '../text/untrustedFrame.ts';

const HEAD =
  'Rules of Inquest read one mechanism in the collected results, with these lines. It can be an effect of another problem, and is not your conclusion: look for its cause and for contradictions, and quote the lines as evidence.';

/** A finding in words. Its texts come from results. */
interface Fact {
  component: string;
  mechanism: string;
  /** The state with its time and contrast. */
  text: string;
  /** The id of the result. */
  result: string;
  lines: readonly string[];
}

/** The message. @param nonce of the session: 12 hexadecimal digits. */
export function ruleFactPrompt({ component, mechanism, text, result, lines }: Fact, nonce: string): string {
  const list = [`${component}: ${mechanism}`, text, ...lines.map((line) => `${result}: ${line}`)].join('\n');
  return [HEAD, frameData(list, { nonce, source: 'rule' })].join('\n\n');
}

/** Whether a text is such a message. */
export const isRuleFact = (text: string): boolean => text.startsWith(HEAD);
