// One fenced write of an execution, and the documents that belong to it.

import { isDeepStrictEqual } from 'node:util';
import { type AnnounceDeps, type Announced, announce } from '../../contract/announce.ts';
import { replaceDocument, type Stored, type Version, type Write } from '../../contract/store.ts';
import { executionType, paths } from '../../schema/coreDocuments.ts';
import { SchemaVersionError } from '../../schema/documentType.ts';
import type { Execution } from '../../schema/execution.ts';
import { computeDue } from './dueAt.ts';

/**
 * The outcome of a write: the execution's new version, or the stored execution of another writer, undefined
 * if it is missing or of newer code.
 */
export type Replacement =
  | { ok: true; version: Version }
  | { ok: false; found: Stored<Execution> | undefined };

/** The execution as it is stored when it is written now: with its new `due`. */
export function withDue(execution: Execution, now: Date): Execution {
  return { ...execution, due: computeDue(execution, now) };
}

/** Whether two executions are stored as the same document. */
export function isSameState(one: Execution, other: Execution): boolean {
  return isDeepStrictEqual(executionType.encode(one), executionType.encode(other));
}

/**
 * Writes the execution and `writes` in one batch. A write without a response can be repeated, here or by the
 * store's client, and the repetition is refused because of the first one. So after a refusal the execution is
 * read once, and counts as written if it has the intended state.
 * @param change the approvals and events among `writes`. Default: none.
 * @throws RetryableError when the outcome is unknown; TerminalError when it can never be stored.
 */
export async function replaceExecution(
  execution: Execution,
  version: Version,
  writes: Write[],
  deps: AnnounceDeps,
  { before = {}, after = {} }: { before?: Announced; after?: Announced } = {},
): Promise<Replacement> {
  const path = paths.execution(execution.sessionId, execution.executionId);
  const batch = [replaceDocument(path, executionType, execution, version), ...writes];
  const result = await announce(before, after, batch, deps);
  if (result.ok) return { ok: true, version: result.versions[0] as Version };
  const found = await deps.store.get(path, executionType).catch(ignoreNewerVersion);
  return found !== undefined && isSameState(found.value, execution)
    ? { ok: true, version: found.version }
    : { ok: false, found };
}

/** A document of newer code was not written by this process. */
function ignoreNewerVersion(error: unknown): undefined {
  if (!(error instanceof SchemaVersionError)) throw error;
}
