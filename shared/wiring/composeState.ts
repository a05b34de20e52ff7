// Puts the services of stored state together over engines that deployments, commands and tests choose.

import { ALL_ON } from '../contract/switches.ts';
import type { StateDeps } from '../core/kernel/deps.ts';
import { stageFeatures } from '../lists/stageFeatures.ts';
import { INQUEST_WORDING } from '../wording/inquest.ts';

type Product = Pick<StateDeps, 'announce' | 'wording' | 'stageFeatures'>;
type Engines = Omit<StateDeps, keyof Product> & Partial<Pick<Product, 'announce'>>;

/**
 * The services over these engines. Without `announce` nothing is sent to people.
 * @param off the features that are off. Default: none.
 */
export function composeState<E extends Engines>(engines: E, off = ALL_ON): E & Product {
  return { announce: undefined, ...engines, wording: INQUEST_WORDING, stageFeatures: stageFeatures(off) };
}
