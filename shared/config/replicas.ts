// The agents of a stage, as the files of chains define them.

import type { LimitEntries } from './limitFields.ts';

/** An agent of a stage as the file defines it. */
export type StageAgent = {
  /** Its name in agents.yaml. */
  agent: string;
  /** Models of models.yaml, each of which it runs on. Absent: its own. */
  model?: string[] | undefined;
  /** Models that take over from these. Absent: those of the agent. */
  fallback?: string[] | undefined;
  /** How often it runs on each model. Absent: once. */
  replicas?: number | undefined;
} & LimitEntries;
