// The hook that announces changes. Every function that writes a session, an approval or an outcome, or ends a
// question, commits its batch with `announce`.

import type { Approval } from '../schema/approval.ts';
import type { Session } from '../schema/session.ts';
import type { Stage } from '../schema/stage.ts';
import type { TimelineEvent } from '../schema/timelineEvent.ts';
import type { CommitResult, Store, Write } from './store.ts';

/** The documents that a batch changes, before or after it. */
export interface Announced {
  session?: Session;
  /** After: the stages that start, and those that end. Before: those that end. */
  stages?: readonly Stage[];
  approvals?: readonly Approval[];
  /** After: the events that the batch adds for an execution. */
  events?: readonly TimelineEvent[];
  /** Documents of features, by name. */
  [document: string]: unknown;
}

/**
 * Commits a batch with the documents that its announcement needs. @throws as `Store.commit` and `Store.get`.
 */
export type Announce = (
  before: Announced,
  after: Announced,
  batch: Write[],
  store: Store,
) => Promise<CommitResult>;

/** The dependencies of a function that announces. */
export interface AnnounceDeps {
  store: Store;
  announce: Announce | undefined;
}

/**
 * Commits a batch and announces its change. A batch announces at most one session.
 * @param before the documents as they were read; none for new ones.
 * @param after the documents as the batch stores them.
 * @returns the result of the commit: the versions of `batch` come first.
 * @throws as `Store.commit` and `Store.get`.
 */
export function announce(
  before: Announced,
  after: Announced,
  batch: Write[],
  { store, announce: extend }: AnnounceDeps,
): Promise<CommitResult> {
  return extend === undefined ? store.commit(batch) : extend(before, after, batch, store);
}
