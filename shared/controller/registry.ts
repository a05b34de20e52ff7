// Which controller serves which strategy. Adding a strategy is adding one file and one line here.

import type { Controller } from '../contract/controller.ts';
import type { Strategy } from '../schema/agent.ts';
import { nativeThinking } from './nativeThinking.ts';
import { oneCall } from './oneCall.ts';
import { react } from './react/react.ts';

const controllers: Record<Strategy, Controller> = {
  react,
  'native-thinking': nativeThinking,
  synthesis: oneCall({ interactionType: 'synthesis', nativeTools: false }),
  'synthesis-native-thinking': oneCall({ interactionType: 'synthesis', nativeTools: true }),
  'single-call': oneCall({ interactionType: 'single_call', nativeTools: false }),
};

/** The controller of a strategy. */
export function controllerFor(strategy: Strategy): Controller {
  return controllers[strategy];
}
