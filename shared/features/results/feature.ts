// Large results: stored whole, shown in part or summarised, and read with `read_result`.

import { createHash } from 'node:crypto';
import { createDocument, type Write } from '../../core/contract/store.ts';
import type { LargeResult, ToolCall, ToolResult } from '../../core/contract/tools.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { HeldExecution } from '../../core/kernel/execution/lease.ts';
import type { Feature, PresentedResult } from '../../core/kernel/feature/feature.ts';
import { DEFAULT_RESULT_SIZES } from '../../core/kernel/resultSizes.ts';
import type { ShownResult } from '../../core/kernel/state/callResult.ts';
import { paths, resultPartType } from '../../core/schema/coreDocuments.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import type { StoredResult } from '../../core/schema/storedResult.ts';
import { partNote, summaryNote } from '../../prompt/largeResult.ts';
import { splitText } from '../../text/cut.ts';
import { runGradually } from '../../text/yieldingSteps.ts';
import { cutSteps } from './cutResult.ts';
import { countLines } from './lines.ts';
import { withReadResult } from './readResult.ts';
import { appendSummary, summarizeResult } from './summarizeResult.ts';

/** Stores large results, records read ranges, and adds `read_result` for agents with tools. */
export const RESULTS: Feature = {
  offerTools: (tools, { held, deps }, { conversation }) =>
    withReadResult(tools, conversation, held.current(), deps.store),
  async presentResult(context, pending, call, result) {
    const { append, ...presented } = await presentResult(context, pending, call, result);
    return {
      ...presented,
      append: (current, batch) => recordReads(append?.(current, batch) ?? current, pending, result),
    };
  },
};

const MAX_ITEMS = 100;

/** The execution with the sources of a result. A call without an answer has none. Pure. */
function recordReads(
  execution: Execution,
  { name }: Pick<PendingCall, 'name'>,
  { yields = 'text', entries = [], noAnswer, timedOut }: ToolResult,
): Execution {
  if (noAnswer || timedOut) return execution;
  const { text, ...reads } = execution.reads;
  const [server, ...tool] = name.split('.');
  const servers = tool.length === 0 || server === undefined ? [] : [server];
  return {
    ...execution,
    reads: {
      text: text || yields === 'text',
      servers: addItems(reads.servers, servers),
      entries: addItems(reads.entries, entries),
    },
  };
}

function addItems<T>(known: readonly T[], added: readonly T[]): T[] {
  return [...new Set([...known, ...added])].slice(0, MAX_ITEMS);
}

/**
 * Returns the result as shown. For a long one, the model reads head, first errors and tail, or a summary if
 * its server is configured for it and the summary succeeds; people always read the parts. Only results of
 * read-only calls are summarised: until the result is stored, the effect of any other call would be
 * uncertain.
 * @throws as `prepareResult`; the lease's reason when it is lost.
 */
async function presentResult(
  context: IterationContext,
  pending: PendingCall,
  call: ToolCall,
  result: ToolResult,
): Promise<PresentedResult> {
  const { large, ...short } = result;
  if (large === undefined) return { result: short };
  const summary =
    large.summarizeWith === undefined || !pending.readOnly
      ? undefined
      : await summarizeResult(context, call, large, large.summarizeWith);
  const prepared = await prepareResult(context.held, pending, large, context.deps);
  const { stored } = prepared;
  const note = partNote(stored, large.bytes);
  const content = await runGradually(cutSteps(large.text, large.maxBytes, note));
  const shown: ShownResult = { ...short, content, stored };
  const append: PresentedResult['append'] = (current, batch) => {
    batch.writes.push(...prepared.writes(batch.now));
    return summary === undefined ? current : appendSummary(context, pending, summary, current, batch);
  };
  if (summary?.text === undefined) return { result: shown, append };
  const modelContent = `${summaryNote(stored, large.bytes, summary.model.model)}\n${summary.text}`;
  return { result: { ...shown, modelContent }, append };
}

/** A large result of which all but the last parts are stored. */
interface PreparedResult {
  /** The reference that the message and the event of the result contain. */
  stored: StoredResult;
  /** The parts that the commit of the result has to include. */
  writes(now: Date): Write[];
}

/**
 * Stores the parts that exceed the commit of the result, in most cases none, and returns the positions of all
 * parts. Each commit counts its parts in the execution, so a process that repeats the call writes after them:
 * parts of a lost result stay unreferenced and expire with the session.
 * @throws LeaseLostError when another writer changed the execution; RetryableError when the store failed.
 */
async function prepareResult(
  held: HeldExecution,
  { index, name, resultMessage }: PendingCall,
  { text }: LargeResult,
  {
    clock,
    failpoint,
    resultSizes: sizes = DEFAULT_RESULT_SIZES,
  }: Pick<RuntimeDeps, 'clock' | 'failpoint' | 'resultSizes'>,
): Promise<PreparedResult> {
  const pieces = splitText(text, sizes.partBytes);
  const before = held.current().pendingCalls.find((call) => call.index === index)?.storedParts ?? 0;
  const writesOf = (from: number, to: number, now: Date): Write[] => {
    const { sessionId, executionId, expireAt } = held.current();
    return pieces.slice(from, to).map((piece, offset) => {
      const part = before + from + offset + 1;
      const path = paths.resultPart(sessionId, executionId, resultMessage, part);
      const document = { executionId, sequenceNumber: resultMessage, part, toolName: name, text: piece };
      return createDocument(path, resultPartType, { ...document, expireAt, createdAt: now });
    });
  };

  let done = 0;
  while (pieces.length - done > sizes.partsWithResult) {
    const from = done;
    const to = Math.min(from + sizes.partsPerCommit, pieces.length);
    await held.commit((current) => ({
      execution: withStoredParts(current, index, before + to),
      writes: writesOf(from, to, clock.now()),
    }));
    done = to;
    await failpoint?.(CRASH_POINTS.duringResultParts);
  }
  return {
    stored: {
      id: `r${resultMessage}`,
      firstPart: before + 1,
      parts: pieces.length,
      bytes: Buffer.byteLength(text),
      lines: countLines(text),
      digest: createHash('sha256').update(text).digest('hex').slice(0, 16),
    },
    writes: (now) => writesOf(done, pieces.length, now),
  };
}

function withStoredParts(execution: Execution, index: number, storedParts: number): Execution {
  const pendingCalls = execution.pendingCalls.map((call) =>
    call.index === index ? { ...call, storedParts } : call,
  );
  return { ...execution, pendingCalls };
}
