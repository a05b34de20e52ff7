// Messages about calls that ran before the first answer: collected ones, and those for contrast.

import * as z from 'zod';
import { type ContrastCall, contrastCallSchema } from '../schema/contrast.ts';
import { parseJson } from '../text/json.ts';
import { frameData } from '../text/untrustedFrame.ts';

interface MadeCall {
  /** `server.tool` */
  name: string;
  /** JSON text. */
  arguments: string;
}

const HEAD =
  'These calls were made for you when the alert came in. Their results follow in this order; you do not need to repeat them.';

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

const CONTRAST_HEAD =
  'These calls were repeated for you, for healthy siblings or an earlier time, to check whether a state above is usual there. Their results follow in this order. They are not evidence: do not quote them.';

/** The message before the results of calls for contrast. @param calls in the order of their results. */
export const contrastCallsPrompt = (calls: readonly ContrastCall[], nonce: string): string =>
  [CONTRAST_HEAD, frameData(JSON.stringify(calls), { nonce, source: 'calls for contrast' })].join('\n\n');

const contrastCalls = z.array(contrastCallSchema);

/** The calls of such a message, in order; undefined for any other text. */
export function readContrastCalls(text: string): ContrastCall[] | undefined {
  if (!text.startsWith(CONTRAST_HEAD)) return undefined;
  return contrastCalls.safeParse(parseJson(text.split('\n').find((line) => line.startsWith('[')) ?? '')).data;
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
