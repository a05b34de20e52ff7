// Stores the tools of servers in full, once for each session and list, so that a session can be replayed.

import { createHash } from 'node:crypto';
import type { Masker } from '../../core/contract/guard.ts';
import { createDocument, type Write } from '../../core/contract/store.ts';
import type { OfferedTools, ToolDefinition } from '../../core/contract/tools.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { toolListType } from '../../kits/agents/toolList.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { maskData } from '../../masking/maskData.ts';

/** UTF-8 bytes of a list; above it, the document only records that there was one. */
const MAX_LIST_BYTES = 800_000;

/** The sessions for which this process stored a changed list; an unchanged list is the same object. */
const stored = new WeakMap<readonly ToolDefinition[], Set<string>>();

/**
 * Stores lists that differ from their pins, once in this process.
 * @throws RetryableError when the store fails.
 */
export async function storeChangedLists(
  { held, dataNonce, masker, deps: { store, clock } }: IterationContext,
  lists: readonly OfferedTools[],
): Promise<void> {
  const execution = held.current();
  for (const list of lists) {
    const sessions = stored.get(list.tools) ?? new Set<string>();
    // Another session can have the same id: a restarted emulator repeats ids.
    const key = `${execution.sessionId} ${dataNonce} ${list.source}`;
    if (sessions.has(key)) continue;
    // Has no effect if another process has stored the same list.
    await store.commit([toolListWrite(execution, list, masker, clock.now())]);
    stored.set(list.tools, sessions.add(key));
  }
}

/** The write of a list. Tools whose names contain secrets are left out. */
export function toolListWrite(
  { sessionId, expireAt }: Pick<Execution, 'sessionId' | 'expireAt'>,
  { source: server, tools, instructions, scope, results }: OfferedTools,
  masker: Masker,
  now: Date,
): Write {
  const named = tools.filter(({ name }) => !masker.wouldChange(name));
  const json = JSON.stringify({ tools: named, instructions, scope, results });
  const text = maskData(json, (one) => cleanText(masker, one).text);
  const digest = createHash('sha256').update(`${server} ${text}`).digest('hex').slice(0, 16);
  const list = Buffer.byteLength(text) > MAX_LIST_BYTES ? null : text;
  const value = { sessionId, server, list, expireAt, createdAt: now };
  return createDocument(toolListType.paths.toolList(sessionId, digest), toolListType, value);
}
