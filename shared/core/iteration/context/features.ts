// Composes the features into hooks of an iteration, and its behaviour without features.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { ConnectTools, ToolResult } from '../../contract/tools.ts';
import type { RuntimeDeps } from '../../kernel/deps.ts';
import type { IterationContext, LiveAnswer } from '../../kernel/execution/context.ts';
import type { BudgetFeature, Feature, WaitFeature } from '../../kernel/feature/feature.ts';
import { callModel } from '../../kernel/inline/callModel.ts';
import { firstAnswer } from '../../kernel/stageFeature.ts';
import { FREE_LEDGER, FREE_RESERVATION } from '../../kernel/tokens/tokenLedger.ts';
import { unpinnedTools } from '../../kernel/tools/agentTools.ts';

/** The hooks of an iteration, all of them callable. */
export type Features = Required<Omit<Feature, 'wait' | 'collect' | 'connectTools'>> & {
  connectTools(...given: Parameters<NonNullable<Feature['connectTools']>>): ConnectTools;
  /** At most one for each kind. */
  waits: readonly WaitFeature[];
  /** Undefined where no calls are collected. */
  collect: Feature['collect'];
};

/** The context of an iteration, with its features. */
export interface RunContext extends IterationContext {
  /** The composed features, the same for all iterations of a process. */
  features: Features;
}

/** The dependencies of an iteration, with its features. */
export interface RunDeps extends RuntimeDeps {
  /** The composed features; `composeFeatures([])` for none. */
  features: Features;
}

/** Limits nothing. */
export const UNLIMITED: BudgetFeature = {
  openLedger: () => FREE_LEDGER,
  affordCall: async (_context, conclusion, build) => ({
    kind: 'granted',
    asking: build(conclusion),
    reservation: FREE_RESERVATION,
  }),
};

/** Shows nothing. */
const NOT_SHOWN: LiveAnswer = {
  listen: () => () => undefined,
  stop: () => undefined,
  deletion: () => [],
  confirmDeletion: () => undefined,
  close: () => Promise.resolve(),
};

/**
 * Composes the hooks of a list of features. Hooks that add something run for every feature, in the order of
 * the list. For hooks with a single answer, the first feature that has one decides.
 */
export function composeFeatures(list: readonly Feature[]): Features {
  const first = <K extends keyof Feature>(hook: K): Feature[K] | undefined =>
    list.find((feature) => feature[hook] !== undefined)?.[hook];
  const think = first('think');
  return {
    readGuidance:
      first('readGuidance') ?? (({ guidanceTaken: taken }) => Promise.resolve({ messages: [], taken })),
    connectTools: (execution, deps) =>
      firstAnswer(list, (feature) => feature.connectTools?.(execution, deps)) ?? deps.connectTools,
    showLive: first('showLive') ?? (() => NOT_SHOWN),
    checkTools: first('checkTools') ?? ((executor) => Promise.resolve(unpinnedTools(executor))),
    offerTools: (tools, context, use) =>
      list.reduce((offered, feature) => feature.offerTools?.(offered, context, use) ?? offered, tools),
    async beforeAsking(context, tools, conversation) {
      const messages: ConversationMessage[] = [];
      for (const feature of list) {
        const added = await feature.beforeAsking?.(context, tools, conversation);
        messages.push(...(added?.messages ?? []));
        if (added?.conclusion !== undefined || added?.commitCalls !== undefined)
          return { ...added, messages };
      }
      return { messages };
    },
    answerCalls(calls, answered) {
      const results: ToolResult[] = [];
      for (const feature of list) {
        const known = new Set([...answered.known, ...results.map(({ callId }) => callId)]);
        results.push(...(feature.answerCalls?.(calls, { ...answered, known }) ?? []));
      }
      return results;
    },
    async afterFailure(context, failed) {
      for (const feature of list) {
        const reaction = await feature.afterFailure?.(context, failed);
        if (reaction !== undefined) return reaction;
      }
      return undefined;
    },
    async afterAnswer(context, before) {
      for (const feature of list) await feature.afterAnswer?.(context, before);
    },
    prepareCall: (context, call) =>
      list.reduce((prepared, feature) => feature.prepareCall?.(context, prepared) ?? prepared, call),
    admitCalls: first('admitCalls') ?? (async (_context, wave) => wave),
    refuseCall: first('refuseCall') ?? (() => Promise.resolve(undefined)),
    think: {
      question: (execution) => think?.question(execution),
      call: (context, asking, options) =>
        think?.call(context, asking, options) ?? callModel(asking.request, options, context),
    },
    presentResult:
      first('presentResult') ??
      ((_context, _pending, _call, { large: _, ...result }) => Promise.resolve({ result })),
    noteResult: (...noted) => {
      const notes = list.flatMap((feature) => feature.noteResult?.(...noted) ?? []);
      return (current) => notes.reduce((changed, note) => note(changed), current);
    },
    controllers: Object.assign({}, ...list.map(({ controllers }) => controllers)),
    budgets: first('budgets') ?? UNLIMITED,
    waits: list.flatMap(({ wait }) => wait ?? []),
    collect: first('collect'),
  };
}
