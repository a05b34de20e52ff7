// sessions/{sessionId}/stages/{stageId}: executions that run concurrently.

import * as z from 'zod';
import { TERMINAL_STATUSES } from './common.ts';
import { BELOW_SESSION, defineCollection } from './defineCollection.ts';

/** A stage as it is stored. */
export const stageSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** Two-digit index and name, for example `01-investigation`. */
  stageId: z.string().min(1),
  index: z.int().positive(),
  name: z.string().min(1),
  kind: z.enum(['investigation', 'synthesis', 'chat', 'exec_summary', 'claims', 'probe']),
  status: z.enum(['active', ...TERMINAL_STATUSES]),
  /** Executions the stage waits for. */
  expectedExecutions: z.array(z.string().min(1)).min(1),
  /** Executions that have ended, written when the stage ends. */
  finishedExecutions: z.array(z.string().min(1)),
  expireAt: z.date(),
  createdAt: z.date(),
  endedAt: z.date().nullable(),
});

/** Whether stages of a kind follow the end of their session, whose conclusion they do not change. */
export const isAfterEnd = ({ kind }: Pick<Stage, 'kind'>): boolean => kind === 'chat' || kind === 'probe';

/** Whether a feature inserted the stage after the one with its position. */
export const isInserted = ({ kind }: Pick<Stage, 'kind'>): boolean => kind === 'claims';

/** A step of a session whose executions run concurrently. */
export type Stage = z.infer<typeof stageSchema>;

export const stageType = defineCollection({
  collection: 'stages',
  name: 'stage',
  version: 2,
  schema: stageSchema,
  oldest: 1,
  // Version 1 had no stages that check claims or repeat calls.
  upcast: (stage) => stage,
  paths: { stage: (sessionId: string, stageId: string) => `sessions/${sessionId}/stages/${stageId}` },
  ...BELOW_SESSION,
});
