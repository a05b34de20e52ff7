// Puts the services of stored state together over engines that deployments, commands and tests choose.

import type { StateDeps } from '../core/kernel/deps.ts';
import { STAGE_FEATURES } from '../lists/stageFeatures.ts';
import { INQUEST_WORDING } from '../wording/inquest.ts';

type Product = Pick<StateDeps, 'announce' | 'wording' | 'stageFeatures'>;
type Engines = Omit<StateDeps, keyof Product> & Partial<Pick<Product, 'announce'>>;

/** The services over these engines. Without `announce` nothing is sent to people. */
export function composeState<E extends Engines>(engines: E): E & Product {
  return { announce: undefined, ...engines, wording: INQUEST_WORDING, stageFeatures: STAGE_FEATURES };
}
