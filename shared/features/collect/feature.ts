// Collected calls: configured ones, and those for contrast, which run before the first answer.

import type { CommitCalls, Feature } from '../../core/kernel/feature/feature.ts';
import { collectedResultPrompt } from '../../prompt/collected.ts';
import { statedContrasts } from '../../prompt/statedContrasts.ts';
import { cutCallNumber } from '../../schema/collected.ts';
import type { ContrastCall } from '../../schema/contrast.ts';
import { planCollect, planContrasts } from './collectCalls.ts';
import { commitCollect } from './commitCollect.ts';

/** Stores calls for contrast, which run instead of a request. */
export const commitContrasts =
  (contrasts: readonly ContrastCall[]): CommitCalls =>
  (context, tools, startCalls) =>
    commitCollect(context, planContrasts(contrasts), tools, startCalls);

/** Runs the collected calls as the first calls of an execution. */
export const COLLECT: Feature = {
  collect: {
    calls(context, conversation) {
      const contrasts = statedContrasts(conversation);
      return (contrasts === undefined ? planCollect(context) : planContrasts(contrasts)).calls;
    },
    commit: (context, tools, startCalls) => commitCollect(context, planCollect(context), tools, startCalls),
    render({ toolUseId, toolName, isError, textContent }) {
      const call = { number: cutCallNumber(toolUseId), name: toolName, isError };
      return { blockType: 'text', textContent: collectedResultPrompt(call, textContent) };
    },
  },
};
