// The documents of the core: their types, paths and ids. Ids are readable for users of the Firestore console.

import * as types from './coreCollections.ts';
import { joinPaths } from './defineCollection.ts';
import { pad } from './ids.ts';

export * from './coreCollections.ts';

/** The paths of these documents and their collections. */
export const paths = joinPaths(types);

/** The id of a stage: `01-investigation`. `index` counts from 1. */
export const composeStageId = (index: number, name: string): string => `${pad(index, 2)}-${name}`;
/** The id of an execution: `01-logs`. `stageIndex` counts from 1. */
export const composeExecutionId = (stageIndex: number, agent: string): string =>
  `${pad(stageIndex, 2)}-${agent}`;
/** Separates the id of an execution from the number of its child. */
const CHILD_SEPARATOR = '~';
/** The id of a child execution that a call creates: `01-lead~1`. `number` counts from 1. */
export const composeChildId = (parentId: string, number: number): string =>
  `${parentId}${CHILD_SEPARATOR}${number}`;
/** The prefix of the ids of all descendants of an execution. No other id has it. */
export const descendantPrefix = (executionId: string): string => `${executionId}${CHILD_SEPARATOR}`;
/**
 * The execution id of events that belong to a session as a whole. No execution has it, because the ids of
 * executions start with a number.
 */
export const SESSION_EVENTS = 'session';
