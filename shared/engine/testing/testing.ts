// The exports of `inquest/engine/testing`.

export { memory } from '../engine.ts';
export { type InProcessQueue, inProcess } from '../inProcess.ts';
export { type Model, script } from '../model.ts';
export type { Effects, Replacement, ReplacementContext } from './effects.ts';
export {
  type SimulatedRun,
  type SimulateOptions,
  type Simulation,
  type SimulationError,
  simulate,
} from './simulate.ts';
