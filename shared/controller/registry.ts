// Which controller serves which strategy. Adding a strategy is adding one file and one line here.

import type { Strategy } from '../schema/agent.ts';
import type { Controller } from './controller.ts';
import { nativeThinking } from './nativeThinking.ts';

const controllers: Record<Strategy, Controller> = {
  'native-thinking': nativeThinking,
};

/** The controller of a strategy. */
export function controllerFor(strategy: Strategy): Controller {
  return controllers[strategy];
}
