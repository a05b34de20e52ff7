// Mutants of guidance and pauses.

import type { UnitMutant } from '../unitMutant.ts';

const RESUME = 'shared/kits/steering/pauseSession.test.ts';
const GUIDANCE = 'shared/features/guidance/loadGuidance.test.ts';

/** The mutants, by what is broken. */
export const STEERING_MUTANTS: Record<string, UnitMutant> = {
  'a resumption that comes again publishes nothing': {
    file: 'kits/steering/pauseSession.ts',
    text: 'resumedAt === null ? 0 : await publishOpen(sessionId, resumedAt, deps)',
    by: '0',
    test: RESUME,
  },
  'a resumption that comes again publishes what was written since': {
    file: 'kits/steering/pauseSession.ts',
    text: 'await publishOpen(sessionId, resumedAt, deps)',
    by: 'await publishOpen(sessionId, null, deps)',
    test: RESUME,
  },
  'a resumption publishes what waits': {
    file: 'kits/steering/pauseSession.ts',
    text: "isTerminal(one.value.status) || one.value.status === 'waiting'",
    by: 'isTerminal(one.value.status)',
    test: RESUME,
  },
  'an executive summary is given guidance': {
    file: 'features/guidance/loadGuidance.ts',
    text: "work.kind !== 'ask_model' || isBuiltInStrategy(agent.strategy) || given <= guidanceTaken",
    by: "work.kind !== 'ask_model' || given <= guidanceTaken",
    test: GUIDANCE,
  },
  'guidance is taken by an iteration that asks no model': {
    file: 'features/guidance/loadGuidance.ts',
    text: "work.kind !== 'ask_model' ||",
    by: '',
    test: GUIDANCE,
  },
  'guidance is given again from the first on': {
    file: 'features/guidance/loadGuidance.ts',
    text: 'guidanceTaken + index + 1',
    by: 'index + 1',
    test: GUIDANCE,
  },
  'guidance stays new for its execution': {
    file: 'features/guidance/loadGuidance.ts',
    text: 'return { messages, taken: given };',
    by: 'return { messages, taken: guidanceTaken };',
    test: GUIDANCE,
  },
};
