// Checks upgrades: older code never replaces a document of newer code, what it refuses is delivered again and
// handled, and nothing fails because of it. While the installation is paused, it meets none.

import type { Write } from '../../shared/core/contract/store.ts';
import { InquestError } from '../../shared/core/errors.ts';
import { NEWER_CODE_MS } from '../../shared/core/kernel/execution/newerDocument.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import type { Execution } from '../../shared/core/schema/execution.ts';
import { paths } from '../../shared/lists/documents.ts';
import type { Invocation } from './record.ts';
import type { Violate } from './transitions.ts';
import type { World } from './world.ts';

/** These work on sessions. During a pause they do not. */
const WORKING: Invocation['target'][] = ['runIteration', 'buryIteration', 'sweep'];

/** Records the versions that a commit stores. */
export function recordVersions(
  writes: Write[],
  { process }: Invocation,
  { record, generations }: World,
): void {
  const { typeOf } = process.isNewer ? generations.newer : generations.older;
  for (const { op, path, type } of writes) {
    if (op === 'delete') record.versions.delete(path);
    // Older code counts in newer documents without reading them.
    if (op !== 'create' && op !== 'replace') continue;
    if (type === (rawDocumentType as unknown)) continue;
    const { version } = typeOf(type);
    if (version < (record.versions.get(path) ?? 0))
      record.violations.push(`upgrade: ${process.name} replaces ${path}, which newer code has written`);
    record.versions.set(path, version);
  }
}

/** Records that code has refused a document that is newer. */
export function recordRefusal(by: Invocation, world: World): void {
  world.countFault('document_too_new');
  by.hasRefusedNewer = true;
  if (by.target === 'ingestAlert') world.record.unreadableProblems = true;
}

/** Checks an invocation that fails with `error`. @returns whether the cause is a document of newer code. */
export function checkRefusal(error: unknown, by: Invocation, { plan, record }: World): boolean {
  const isRefused = error instanceof InquestError && error.code === 'SCHEMA_TOO_NEW';
  if (isRefused && by.target === 'runIteration') record.refusals++;
  const canReadPause = plan.deployment !== null && plan.upgrade !== 'next_and_control';
  if (isRefused && canReadPause && WORKING.includes(by.target))
    record.violations.push(
      `upgrade: ${by.process.name} #${by.id} refuses a document of newer code, in spite of the pause`,
    );
  return isRefused;
}

/**
 * Whether all executions of a session that ended because of a newer document had waited for newer code as
 * long as they may: without a write for `NEWER_CODE_MS`, by clocks that may differ.
 */
export function hasAwaitedNewerCode(sessionId: string, { record, plan }: World): boolean {
  const ended = [...record.executions.values()].filter(
    ({ value }) => value.sessionId === sessionId && value.failure?.code === 'SCHEMA_TOO_NEW',
  );
  const waitedMs = ({ executionId }: Execution): number => {
    const path = paths.execution(sessionId, executionId);
    const writes = record.commits.filter((commit) => commit.writes.some((write) => write.path === path));
    const [before, last] = writes.slice(-2);
    return (last?.at ?? 0) - (before?.at ?? 0);
  };
  return (
    ended.length > 0 && ended.every(({ value }) => waitedMs(value) >= NEWER_CODE_MS - 2 * plan.maxSkewMs)
  );
}

/** Checks an upgrade's end. @param refused by older code, and handled by nothing. */
export function checkUpgrade(refused: readonly string[], { record, plan }: World, violate: Violate): void {
  for (const id of refused) violate('upgrade', `message ${id} was refused, and is not handled`);
  if (plan.deployment === null) return;
  for (const { value } of record.executions.values())
    if (isTerminal(value.status) && value.failure?.code === 'SCHEMA_TOO_NEW')
      violate('upgrade', `${value.executionId} ended because of a newer document`);
}
