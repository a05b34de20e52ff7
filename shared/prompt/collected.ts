// The message about calls that ran for an agent before its first iteration.

import { frameData } from '../text/frame.ts';

/** A call that was made for an agent. */
interface MadeCall {
  /** `server.tool` */
  name: string;
  /** JSON text. */
  arguments: string;
}

const HEAD =
  'These calls were made for you when the alert came in. Their results follow in this order; you need not make them again.';

/**
 * The message before the results.
 * @param calls in the order of their results. Their arguments hold labels of the alert, which others wrote.
 */
export function collectedCallsPrompt(calls: readonly MadeCall[], nonce: string): string {
  const list = calls.map(({ name, arguments: args }, index) => `${index + 1}. ${name} ${args}`).join('\n');
  return [HEAD, frameData(list, { nonce, source: 'collected calls' })].join('\n\n');
}

/** The calls of such a message, in order; undefined for any other text. */
export function readCollectedCalls(text: string): MadeCall[] | undefined {
  if (!text.startsWith(HEAD)) return undefined;
  return [...text.matchAll(/^\d+\. (\S+) (.*)$/gm)].map(([, name = '', args = '']) => ({
    name,
    arguments: args,
  }));
}

/**
 * The message with one result.
 * @param number of the call in its list, from 1.
 * @param framed the result, framed as data.
 */
export function collectedResultPrompt(
  { number, name, isError }: { number: string; name: string; isError: boolean },
  framed: string,
): string {
  return `Result of call ${number}, ${name}${isError ? ', which failed' : ''}:\n\n${framed}`;
}
