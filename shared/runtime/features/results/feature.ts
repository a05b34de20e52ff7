// Large results: a result above its limit is stored whole, shown in part or summarised, and read with `read_result`.

import type { Feature } from '../../kernel/feature/feature.ts';
import { presentResult } from './presentResult.ts';
import { withReadResult } from './readResult.ts';
import { recordReads } from './recordReads.ts';

/** Stores large results, records the ranges that were read, and adds the tool `read_result` for agents that have tools. */
export const RESULTS: Feature = {
  offerTools: (tools, { held, deps }, { conversation }) =>
    withReadResult(tools, conversation, held.current(), deps.store),
  async presentResult(context, pending, call, result) {
    const { append, ...presented } = await presentResult(context, pending, call, result);
    return {
      ...presented,
      append: (current, batch) => recordReads(append?.(current, batch) ?? current, pending, result),
    };
  },
};
