// The features of the sweep, in the order in which they run.

import type { BackgroundModel } from '../contract/backgroundModel.ts';
import type { RawDocuments } from '../contract/rawDocuments.ts';
import { ALL_ON, type Off } from '../contract/switches.ts';
import type { SweepFeature } from '../core/kernel/feature/sweepFeature.ts';
import { startWaiting } from '../features/budgets/startWaiting.ts';
import { CANARY } from '../features/canary/sendCanary.ts';
import { loadScheduleFeature } from '../features/checks/loadScheduleFeature.ts';
import { CHECKS } from '../features/checks/publishChecks.ts';
import { countSessions } from '../features/counts/countSessions.ts';
import { publishLate } from '../features/deliveries/outbox/publishLate.ts';
import { removeThoughts } from '../features/interactions/removeThoughts.ts';
import { RECOVERED_MODELS } from '../features/modelOutages/resumeWaiting.ts';
import { OUTCOMES } from '../features/outcomes/checkOutcomes.ts';
import { SWEEP_TELEMETRY } from '../features/telemetry/sweepTelemetry.ts';
import { present, unlessOff } from './present.ts';

/** The features that only repair and start sessions, and are not off. */
const repairingFeatures = (off: Off): readonly SweepFeature[] =>
  present<SweepFeature>([
    { run: startWaiting },
    publishLate && unlessOff(off, 'deliveries', { run: publishLate }),
    RECOVERED_MODELS,
    unlessOff(off, 'outcomes', OUTCOMES),
    unlessOff(off, 'telemetry', SWEEP_TELEMETRY),
  ]);

/** Every feature that only repairs and starts sessions. */
export const SWEEP_FEATURES: readonly SweepFeature[] = repairingFeatures(ALL_ON);

/**
 * Every feature of an installation: it also publishes canaries and checks.
 * @param configured those of its configuration.
 * @param documents counts ended sessions by them. Default: none are counted.
 * @param off default: none.
 */
export const deployedSweepFeatures = (
  configured: readonly SweepFeature[],
  documents?: RawDocuments,
  off: Off = ALL_ON,
): readonly SweepFeature[] =>
  present([
    ...repairingFeatures(off),
    ...configured,
    unlessOff(off, 'schedules', CHECKS),
    CANARY,
    documents && countEnded(documents),
  ]);

/** The features that a configuration has or has not, by its folder. */
const configuredFeatures = (off: Off): readonly ((folder: string) => Promise<SweepFeature | undefined>)[] =>
  present([unlessOff(off, 'schedules', loadScheduleFeature)]);

/** The feature that counts ended sessions. */
export const countEnded = (documents: RawDocuments): SweepFeature => countSessions(documents);

/** The feature that deletes questions at Google. */
export const backgroundSweep = (background: Pick<BackgroundModel, 'remove'>): SweepFeature =>
  removeThoughts(background);

/** Loads the features of a configuration. @throws ConfigError with one line per fault. */
export async function loadConfiguredSweep(folder: string, off: Off): Promise<readonly SweepFeature[]> {
  return present(await Promise.all(configuredFeatures(off).map((load) => load(folder))));
}
