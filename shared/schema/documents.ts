// Every stored document: its type, its path and its id.

import { type Collection, joinPaths } from '../core/schema/defineCollection.ts';
import * as types from './collections.ts';

export {
  composeChildId,
  composeExecutionId,
  composeStageId,
  descendantPrefix,
  SESSION_EVENTS,
} from '../core/schema/coreDocuments.ts';
export * from './collections.ts';

type Types = (typeof types)[keyof typeof types];

/** All collections by their id, at any depth, sorted. */
export const COLLECTIONS = Object.fromEntries(
  Object.values<Collection>(types)
    .map((type) => [type.collection, type] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
) as { [T in Types as T['collection']]: T };

/** The ids of the collections with a property, sorted. */
export const collectionsWhere = (isMeant: (one: Collection) => boolean): string[] =>
  Object.values<Collection>(COLLECTIONS)
    .filter(isMeant)
    .map(({ collection }) => collection);

/** The paths of all documents and collections. */
export const paths = joinPaths(types);

/** The execution id of events about later reports of the alert's source. They have their own numbers. */
export const ALERT_EVENTS = 'alerts';
/** The execution id of events about the work of people. Their numbers are those of the entries. */
export const WORK_EVENTS = 'work';
/** The events of the checks whether its problem ended. */
export const OUTCOME_EVENTS = 'outcome';
/** The execution id of events about changes that became known late. They have their own numbers. */
export const CHANGE_EVENTS = 'changes';
