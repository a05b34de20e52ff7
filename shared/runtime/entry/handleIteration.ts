// The body of `runIteration`: a message of the topic `iterations` is one iteration of one execution.

import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import { FEATURES } from '../features/index.ts';
import { receiveIteration } from './receiveIteration.ts';

/**
 * Handles one event of the topic `iterations`.
 * @param features the features of the iteration; all of them by default.
 * @throws RetryableError when it must be delivered again.
 */
export function handleIteration(
  event: unknown,
  deps: RuntimeDeps,
  features: readonly Feature[] = FEATURES,
): Promise<void> {
  return receiveIteration(event, deps, features);
}
