// Every execution of a fork knows that it is one.

import type { StageFeature } from '../../core/kernel/stageFeature.ts';
import { readPart, withPart } from '../../core/schema/parts.ts';
import { executionForkPart, forkPart } from '../../schema/forkPart.ts';

/** Stores the fork of a session with each execution of its stages. */
export const FORKED_EXECUTIONS: StageFeature = {
  startExecution: (execution, session) => withPart(executionForkPart, execution, readPart(forkPart, session)),
};
