// The answer of a built-in tool to a call, before it is masked and cut.

import type { ToolResult } from '../../core/contract/tools.ts';

/** The answer, with the parts of a result that the tool decides. */
export interface BuiltInAnswer
  extends Pick<ToolResult, 'isError' | 'noAnswer' | 'events' | 'tokens' | 'entries' | 'yields'> {
  /** The text for the model, of any length, not yet masked. */
  content: string;
}

/** The answer to a call that requests something impossible. */
export const refuse = (content: string): BuiltInAnswer => ({ content, isError: true });
