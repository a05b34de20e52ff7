// Collected calls: the calls that a chain or an agent configures run before the model is asked.

import { collectedResultPrompt } from '../../../prompt/collected.ts';
import { numberOf } from '../../../schema/features/collected.ts';
import type { Feature } from '../../kernel/feature/feature.ts';
import { planCollect } from './collectCalls.ts';
import { commitCollect } from './commitCollect.ts';

/** Runs the collected calls as the first calls of an execution. */
export const COLLECT: Feature = {
  collect: {
    calls: (context) => planCollect(context).calls,
    commit: (context, tools, startCalls) => commitCollect(context, planCollect(context), tools, startCalls),
    render({ toolUseId, toolName, isError, textContent }) {
      const call = { number: numberOf(toolUseId), name: toolName, isError };
      return { blockType: 'text', textContent: collectedResultPrompt(call, textContent) };
    },
  },
};
