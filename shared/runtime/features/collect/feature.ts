// Collected calls: configured ones, and those for contrast, which run before the first answer.

import type { Feature } from '../../../core/kernel/feature/feature.ts';
import { collectedResultPrompt } from '../../../prompt/collected.ts';
import { cutCallNumber } from '../../../schema/features/collected.ts';
import { statedContrasts } from '../../claims/statedContrasts.ts';
import { planCollect, planContrasts } from './collectCalls.ts';
import { commitCollect } from './commitCollect.ts';

/** Runs the collected calls as the first calls of an execution. */
export const COLLECT: Feature = {
  collect: {
    calls(context, conversation) {
      const contrasts = statedContrasts(conversation);
      return (contrasts === undefined ? planCollect(context) : planContrasts(contrasts)).calls;
    },
    commit(context, tools, startCalls, contrasts) {
      const plan = contrasts.length === 0 ? planCollect(context) : planContrasts(contrasts);
      return commitCollect(context, plan, tools, startCalls);
    },
    render({ toolUseId, toolName, isError, textContent }) {
      const call = { number: cutCallNumber(toolUseId), name: toolName, isError };
      return { blockType: 'text', textContent: collectedResultPrompt(call, textContent) };
    },
  },
};
