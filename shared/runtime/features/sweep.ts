// The features of the sweep, in the order in which they run.

import type { SweepFeature } from '../kernel/feature/sweepFeature.ts';
import { startWaiting } from './budgets/startWaiting.ts';
import { publishLate } from './outbox/publishLate.ts';

/** Every feature. */
export const SWEEP_FEATURES: readonly SweepFeature[] = [{ run: startWaiting }, { run: publishLate }];
