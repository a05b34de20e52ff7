// Pins the tools and instructions of each server for a session: the first iteration that sees them stores
// their digests. Tools and instructions that change later are not offered or shown.

import { createHash } from 'node:crypto';
import type { Masker } from '../../core/contract/guard.ts';
import { createDocument, type Store, type Write } from '../../core/contract/store.ts';
import type { OfferedTools, ToolDefinition, ToolExecutor } from '../../core/contract/tools.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { failedResult } from '../../core/kernel/state/callResult.ts';
import type { AgentTools, ToolChange } from '../../core/kernel/tools/agentTools.ts';
import { changedToolText } from '../../core/prompts/changedTools.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { PinnedTool } from '../../kits/agents/pinnedTools.ts';
import { type PinnedTools, pinnedToolsType } from '../../kits/agents/pinnedTools.ts';
import { toolListType } from '../../kits/agents/toolList.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { maskData } from '../../masking/maskData.ts';
import { changesSince, createPins, instructionsPin } from './toolPins.ts';

/** UTF-8 bytes of a list; above it, the document only records that there was one. */
const MAX_LIST_BYTES = 800_000;
/** The sessions for which this process stored a changed list; an unchanged list is the same object. */
const stored = new WeakMap<readonly ToolDefinition[], Set<string>>();

/** Maximum number of cached servers of sessions; a process works on few sessions at a time. */
const MAX_CACHED = 100;

/**
 * Returns the executor without the tools and instructions that differ from their pins. Pins those of servers
 * that no execution of the session has seen yet.
 * @throws RetryableError when the store fails, TerminalError for a document that cannot be read.
 */
export async function pinTools(context: IterationContext, executor: ToolExecutor): Promise<AgentTools> {
  const found = await Promise.all(
    executor.offered.map(async (offered) => ({ ...offered, pins: await pinsFor(context, offered) })),
  );
  const pinned = found.flatMap(({ pins, ...offered }) => (pins === undefined ? [] : [{ ...offered, pins }]));
  const { agent, masker } = context;
  const changes = pinned
    .flatMap(({ pins, source, tools }) => changesSince(pins.tools, source, tools))
    .filter(({ server, name }) => isAllowed(agent.tools, server, name) && !masker.wouldChange(name));
  const changed = new Set(changes.map(({ server }) => server));
  await storeChangedLists(
    context,
    executor.offered.filter(({ source }) => changed.has(source)),
  );
  const kept = withoutChanged(executor, changes);
  const names = kept.list().map(({ name }) => name);
  const speaking = pinned
    .flatMap(({ source, instructions: text, pins }) =>
      text === undefined
        ? []
        : [{ server: source, text, isPinned: pins.instructions === instructionsPin(text) }],
    )
    .filter(({ server }) => names.some((name) => name.startsWith(`${server}.`)))
    .sort((one, other) => (one.server < other.server ? -1 : 1));
  const scopes = pinned
    .flatMap(({ source: server, scope: values }) => (values === undefined ? [] : [{ server, values }]))
    .filter(({ server }) => names.some((name) => name.startsWith(`${server}.`)))
    .sort((one, other) => (one.server < other.server ? -1 : 1));
  return {
    ...kept,
    ...(scopes.length > 0 && { scopes }),
    instructions: speaking.filter(({ isPinned }) => isPinned).map(({ server, text }) => ({ server, text })),
    changedServers: speaking.filter(({ isPinned }) => !isPinned).map(({ server }) => server),
  };
}

/** An agent names a server, or one of its tools. */
function isAllowed(allowed: readonly string[], server: string, name: string): boolean {
  return allowed.includes(server) || allowed.includes(name);
}

function withoutChanged(
  executor: ToolExecutor,
  changes: readonly ToolChange[],
): ToolExecutor & Pick<AgentTools, 'changes'> {
  if (changes.length === 0) return { ...executor, changes };
  const changed = new Map(changes.map((change) => [change.name, change]));
  return {
    ...executor,
    changes,
    list: () => executor.list().filter(({ name }) => !changed.has(name)),
    async execute(call, options) {
      const change = changed.get(call.name);
      if (change === undefined) return executor.execute(call, options);
      options.signal.throwIfAborted();
      return { ...failedResult(call, changedToolText(change)), unknownTool: true };
    },
    async probe(call, options) {
      const change = changed.get(call.name);
      if (change === undefined) return executor.probe(call, options);
      return { answer: 'unclear', content: changedToolText(change) };
    },
  };
}

/** The pins of a server; undefined while it has listed no tool. */
async function pinsFor(
  { held, dataNonce, masker, deps }: IterationContext,
  offered: OfferedTools,
): Promise<Pins | undefined> {
  const execution = held.current();
  const path = pinnedToolsType.paths.pinnedTools(execution.sessionId, offered.source);
  // Another session can have the same id: a restarted emulator repeats ids.
  const key = `${path} ${dataNonce}`;
  const pinCache = findPinCache(deps);
  const known = pinCache.get(key);
  if (known !== undefined) return known;
  const tools = offered.tools.filter(({ name }) => !masker.wouldChange(name));
  const stored = await readPins(path, deps.store);
  // A server that lists no tools at first can still start: nothing is pinned.
  if (stored === undefined && offered.tools.length === 0) return undefined;
  const pins = pinsOfServer(
    stored ?? (await storePins(path, execution, { ...offered, tools }, masker, deps)),
  );
  const [oldest] = pinCache.keys();
  if (pinCache.size >= MAX_CACHED && oldest !== undefined) pinCache.delete(oldest);
  pinCache.set(key, pins);
  return pins;
}

/** If processes store pins at once, one wins and all use it. Names with a secret are never offered. */
async function storePins(
  path: string,
  execution: Execution,
  offered: OfferedTools,
  masker: Masker,
  { store, clock }: Pick<RuntimeDeps, 'store' | 'clock'>,
): Promise<PinnedTools> {
  const { sessionId, executionId, expireAt } = execution;
  const { source, tools, instructions } = offered;
  const now = clock.now();
  const pinned = {
    sessionId,
    server: source,
    executionId,
    tools: createPins(tools),
    instructions: instructionsPin(instructions),
    expireAt,
    createdAt: now,
  };
  const { ok } = await store.commit([
    createDocument(path, pinnedToolsType, pinned),
    toolListWrite(execution, offered, masker, now),
  ]);
  // The document is still missing only if the documents of the session are being deleted.
  return ok ? pinned : ((await readPins(path, store)) ?? pinned);
}

async function readPins(path: string, store: Pick<Store, 'get'>): Promise<PinnedTools | undefined> {
  return (await store.get(path, pinnedToolsType))?.value;
}

function pinsOfServer({ tools, instructions }: PinnedTools): Pins {
  return { tools: new Map(tools.map((tool) => [tool.name, tool])), instructions };
}

/** The pinned state of a server in a session. */
interface Pins {
  /** By name. */
  tools: ReadonlyMap<string, PinnedTool>;
  /** Digest of its instructions; null when it had none. */
  instructions: string | null;
}

/** Pins that a process read or wrote, by path and nonce of the session. Only stored pins. */
function findPinCache({ featureCaches }: Pick<RuntimeDeps, 'featureCaches'>): Map<string, Pins> {
  const found = featureCaches.get('pins') as Map<string, Pins> | undefined;
  if (found !== undefined) return found;
  const empty = new Map<string, Pins>();
  featureCaches.set('pins', empty);
  return empty;
}

/**
 * Stores lists that differ from their pins, once in this process.
 * @throws RetryableError when the store fails.
 */
async function storeChangedLists(
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
function toolListWrite(
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
