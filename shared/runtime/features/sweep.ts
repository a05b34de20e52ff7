// The features of the sweep, in the order in which they run.

import type { SweepFeature } from '../kernel/feature/sweepFeature.ts';
import { startWaiting } from './budgets/startWaiting.ts';

/** Every feature. */
export const SWEEP_FEATURES: readonly SweepFeature[] = [{ run: startWaiting }];
