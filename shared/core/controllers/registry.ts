// Maps strategies to controllers. A new strategy needs one file, one line here, and one in `abilities.ts`.

import { asObject, parseJson } from '../../text/json.ts';
import type { Controller } from '../contract/controller.ts';
import {
  type Agent,
  isSummaryStrategy,
  PARTIAL_SUMMARY_STRATEGY,
  SUMMARY_STRATEGY,
} from '../schema/agent.ts';
import { ABILITIES, unknownStrategy } from './abilities.ts';
import { executiveSummary } from './executiveSummary.ts';
import { nativeThinking } from './nativeThinking.ts';
import { oneCall } from './oneCall.ts';
import { react } from './react.ts';
import { structuredOutput } from './structuredOutput.ts';

const configurable: Readonly<Record<keyof typeof ABILITIES, Controller>> = {
  react,
  'native-thinking': nativeThinking,
  synthesis: oneCall('synthesis', ABILITIES.synthesis),
  'synthesis-native-thinking': oneCall('synthesis', ABILITIES['synthesis-native-thinking']),
  'single-call': oneCall('single_call', ABILITIES['single-call']),
};

const controllers: Readonly<Record<string, Controller>> = {
  ...configurable,
  [SUMMARY_STRATEGY]: executiveSummary({ partial: false }),
  [PARTIAL_SUMMARY_STRATEGY]: executiveSummary({ partial: true }),
};

/**
 * The controller of an agent: that of its strategy, with structured output where the agent has a schema for
 * its answer. Throws like `controllerFor`.
 * @param features the controllers of strategies that features add, by strategy. Default: none.
 */
export function chooseController(
  { strategy, outputSchema }: Pick<Agent, 'strategy' | 'outputSchema'>,
  features: Readonly<Record<string, Controller>> = {},
): Controller {
  const own = Object.hasOwn(features, strategy) ? features[strategy] : undefined;
  const controller = own ?? controllerFor(strategy);
  if (outputSchema === undefined) return controller;
  return structuredOutput(controller, asObject(parseJson(outputSchema)));
}

/**
 * The controller of a strategy.
 * @throws TerminalError `CONFIG_UNKNOWN_STRATEGY`, for example for the snapshot of an agent that newer code
 * stored.
 */
export function controllerFor(strategy: string): Controller {
  const controller = Object.hasOwn(controllers, strategy) ? controllers[strategy] : undefined;
  if (controller !== undefined) return controller;
  const [summary = '', verdict] = strategy.split(':');
  if (verdict !== undefined && isSummaryStrategy(summary))
    return executiveSummary({ partial: summary === PARTIAL_SUMMARY_STRATEGY, verdict });
  throw unknownStrategy(strategy);
}
