// Results of tools, and errors in words for clients.

import type { CallToolResult } from '@modelcontextprotocol/server';
import { problemDetails } from '../../api/http/problem.ts';
import type { RequestDeps } from '../../api/http/route.ts';
import { errorMessage } from '../../core/errors.ts';
import { limitText } from '../../text/limitText.ts';

/** The most bytes of a result: some 100,000 tokens. */
const MAX_RESULT_BYTES = 400_000;

/** A value as the result of a tool: JSON, cut where it is longer than clients can use. */
export function toolResult(value: object, isError = false): CallToolResult {
  const { content: text } = limitText(JSON.stringify(value, null, 1), MAX_RESULT_BYTES);
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}

/** An error as code and detail, and whether the fault is ours; the log gets those. */
export function describeFailure(
  error: unknown,
  deps: Pick<RequestDeps, 'mask' | 'log'>,
): { text: string; isOurs: boolean } {
  const { status, code, detail } = problemDetails(error, deps.mask);
  const isOurs = status >= 500;
  if (isOurs) deps.log.error({ err: error }, `a tool failed: ${errorMessage(error)}`);
  return { text: `${code}: ${detail}`, isOurs };
}
