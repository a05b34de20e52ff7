// Keeps the connection to one MCP server, shared by all iterations of this process. It is checked before it is lent,
// dropped at its first fault and opened again: losing it costs time alone.

import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { RetryableError } from '../../errors.ts';
import { type CallFailure, classifyCallFailure } from './callFailure.ts';
import type { CallRequest, LiveConnection, McpConnection, ToolList } from './mcpConnection.ts';
import { type SharedWork, shareWork } from './sharedWork.ts';

/**
 * After this time the tools are listed again. That also shows whether the connection lives: the sockets of an instance
 * that stands still may die without a sign, but hardly within a minute.
 */
const FRESH_MS = 60_000;

/** A server whose connection is kept. */
export interface KeptServer {
  /** Lends the connection, opened and with tools of the last minute; with `fresh`, of now. @throws as `connectServer`. */
  lend(signal: AbortSignal, fresh?: boolean): Promise<McpConnection>;
  /** Closes it, within 7 s. Never throws. */
  close(): Promise<void>;
  /** Tells its process to end, without waiting. */
  kill(): void;
}

/** A connection, and the tools it listed last. */
interface Kept {
  readonly connection: LiveConnection;
  listed: ToolList;
  listedAt: number;
  /** `connection.listChanges()` when the listing began. */
  changes: number;
  /** Calls under way. */
  running: number;
  /** Set when it is lent no more; it is closed when its last call has ended. */
  retired: boolean;
}

/**
 * Keeps the connection to the server `name`. Several iterations may use it at once: MCP tells requests apart by their ids.
 * @param connect opens a connection.
 * @param now the time in milliseconds.
 */
export function keepServer(
  name: string,
  connect: (signal: AbortSignal) => Promise<LiveConnection>,
  now: () => number,
): KeptServer {
  let current: Kept | undefined;
  let opening: SharedWork<Kept> | undefined;
  /** All that are not closed, retired ones included. */
  const open = new Set<Kept>();
  const closings = new Set<Promise<void>>();
  const ending = new AbortController();

  function close(kept: Kept): void {
    const closing = kept.connection.close().finally(() => {
      open.delete(kept);
      closings.delete(closing);
    });
    closings.add(closing);
  }

  function retire(kept: Kept): void {
    if (kept.retired) return;
    kept.retired = true;
    if (current === kept) current = undefined;
    if (kept.running === 0) close(kept);
  }

  /** The connection, opened and with fresh tools. */
  async function ready(signal: AbortSignal, fresh = false): Promise<Kept> {
    const either = AbortSignal.any([signal, ending.signal]);
    either.throwIfAborted();
    if (!fresh && current !== undefined && isAlive(current) && isFresh(current, now())) return current;
    if (opening === undefined) {
      const work = shareWork(openOrRefresh, () => {
        if (opening === work) opening = undefined;
      });
      opening = work;
    }
    return opening.join(either);
  }

  async function openOrRefresh(signal: AbortSignal): Promise<Kept> {
    const known = current;
    if (known !== undefined) {
      if (await refresh(known, signal)) return known;
      retire(known);
    }
    const listedAt = now();
    const connection = await connect(signal);
    if (signal.aborted) {
      await connection.close();
      throw signal.reason;
    }
    current = { connection, listed: connection.listed, listedAt, changes: 0, running: 0, retired: false };
    open.add(current);
    return current;
  }

  /** Lists the tools again. @returns false when the connection is dead. @throws the signal's reason on abort. */
  async function refresh(kept: Kept, signal: AbortSignal): Promise<boolean> {
    if (!isAlive(kept)) return false;
    const listedAt = now();
    const changes = kept.connection.listChanges();
    try {
      const listed = await kept.connection.listTools(signal);
      // The same object for the same list: what is made of a list is made once.
      const isSame = isDeepStrictEqual(listed, kept.listed);
      Object.assign(kept, { listed: isSame ? kept.listed : listed, listedAt, changes });
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }

  async function callOn(kept: Kept, request: CallRequest): Promise<CallToolResult> {
    kept.running++;
    try {
      return await kept.connection.call(request);
    } finally {
      kept.running--;
      if (kept.retired && kept.running === 0) close(kept);
    }
  }

  return {
    async lend(signal, fresh) {
      let kept = await ready(signal, fresh);
      let lost: Kept | undefined;
      return {
        listed: kept.listed,
        ...(kept.connection.instructions !== undefined && { instructions: kept.connection.instructions }),
        async call(request) {
          const deadline = now() + request.timeoutMs;
          for (let repeats = 0; ; repeats++) {
            if (!isAlive(kept)) kept = await ready(request.signal);
            const used = kept;
            const timeoutMs = repeats === 0 ? request.timeoutMs : deadline - now();
            try {
              return await callOn(used, { ...request, timeoutMs });
            } catch (error) {
              if (request.signal.aborted) throw error;
              const failure = await classifyCallFailure(error, used.connection.kind);
              if (breaks(failure, used.connection)) {
                lost = used;
                retire(used);
              }
              if (repeats > 0 || !mayRepeat(failure, request) || now() >= deadline) throw error;
            }
          }
        },
        lastWords: () => lost?.connection.lastWords() ?? '',
        async close() {
          // What was replaced meanwhile ends with the iteration: between iterations nothing runs.
          await Promise.all(closings);
        },
      };
    },
    async close() {
      ending.abort(
        new RetryableError(
          'TOOL_SERVER_UNAVAILABLE',
          `MCP server "${name}" is unavailable: this process ends`,
        ),
      );
      await opening?.ended;
      for (const kept of open) {
        kept.retired = true;
        close(kept);
      }
      current = undefined;
      await Promise.all(closings);
    },
    kill() {
      for (const { connection } of open) connection.kill();
    },
  };
}

function isAlive({ retired, connection }: Kept): boolean {
  return !retired && !connection.isClosed();
}

function isFresh({ connection, listedAt, changes }: Kept, now: number): boolean {
  return changes === connection.listChanges() && now - listedAt < FRESH_MS;
}

/** Whether a connection is lent no more after a failed call. */
function breaks(failure: CallFailure, { kind }: LiveConnection): boolean {
  switch (failure) {
    case 'answered':
      return false;
    case 'timed_out':
      // A process may hang. A server behind HTTP is shared with others, and each request stands alone.
      return kind === 'process';
    case 'refused':
    case 'unsent':
    case 'lost':
      return true;
  }
}

/** What the server may have run is repeated only where that is harmless. */
function mayRepeat(failure: CallFailure, { readOnly }: CallRequest): boolean {
  return failure === 'unsent' || (failure === 'lost' && readOnly);
}
