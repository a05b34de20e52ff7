// What strategies can do. The check of configuration reads it, without the controllers.

import type { Abilities } from '../contract/controller.ts';
import { TerminalError } from '../errors.ts';
import { isSummaryStrategy } from '../schema/agent.ts';

/** Those of a call that only answers. */
export const NO_ABILITIES: Abilities = {
  tools: false,
  bindsTools: false,
  nativeTools: false,
  geminiOnly: false,
  combines: false,
};

/** The abilities of the strategies that configured agents can use. */
export const ABILITIES = {
  react: { ...NO_ABILITIES, tools: true },
  'native-thinking': { ...NO_ABILITIES, tools: true, bindsTools: true, nativeTools: true },
  synthesis: { ...NO_ABILITIES, combines: true },
  // Only Gemini has native tools.
  'synthesis-native-thinking': { ...NO_ABILITIES, nativeTools: true, geminiOnly: true, combines: true },
  'single-call': NO_ABILITIES,
} satisfies Record<string, Abilities>;

/** The strategies that configured agents can use. */
export const STRATEGIES: readonly string[] = Object.keys(ABILITIES);

/** The abilities of a strategy. Throws like `controllerFor`. */
export function readAbilities(strategy: string): Abilities {
  if (Object.hasOwn(ABILITIES, strategy)) return ABILITIES[strategy as keyof typeof ABILITIES];
  if (isSummaryStrategy(strategy)) return NO_ABILITIES;
  throw unknownStrategy(strategy);
}

/** The error for a strategy without a controller. */
export function unknownStrategy(strategy: string): TerminalError {
  return new TerminalError(
    'CONFIG_UNKNOWN_STRATEGY',
    `there is no strategy ${JSON.stringify(strategy)}; there are ${STRATEGIES.join(', ')}`,
  );
}
