// The connections to one MCP server: the current one, and retired ones whose last calls still run.

import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { CallRequest, LiveConnection, ToolList } from './mcpConnection.ts';

/**
 * After this time, in milliseconds, the tools are listed again. That also shows whether the connection lives:
 * the sockets of an instance that stands still can die without a sign, but hardly within a minute.
 */
const FRESH_MS = 60_000;

/** A connection, and the tools it listed last. */
export interface Kept {
  /** The open connection. */
  readonly connection: LiveConnection;
  /** The tools of the last listing; the same object while they are equal. */
  listed: ToolList;
  /** Time in milliseconds when the last listing started. */
  listedAt: number;
  /** `connection.listChanges()` when the listing started. */
  changes: number;
  /** Number of running calls. */
  running: number;
  /** A retired connection takes no more calls. It is closed when its last call has ended. */
  retired: boolean;
}

interface ConnectionPool {
  /** The current connection, if it is alive and its tools were listed in the last minute. */
  fresh(): Kept | undefined;
  /**
   * Lists the tools of the current connection again, or opens a new one.
   * @throws as `connect`; the signal's reason on abort.
   */
  openOrRefresh(signal: AbortSignal): Promise<Kept>;
  /** Makes one call on a connection. @throws as `LiveConnection.call`. */
  call(kept: Kept, request: CallRequest): Promise<CallToolResult>;
  /** Retires a connection: at once if it has no calls, else after the last one. */
  retire(kept: Kept): void;
  /** Waits for the connections that are being closed. */
  closings(): Promise<void>;
  /** Closes all connections. Never throws. */
  close(): Promise<void>;
  /** Ends the processes of all connections, without waiting. */
  kill(): void;
}

/** No connection yet. @param now the time in milliseconds. */
export function createConnectionPool(
  connect: (signal: AbortSignal) => Promise<LiveConnection>,
  now: () => number,
): ConnectionPool {
  let current: Kept | undefined;
  /** All connections that are not closed, including retired ones. */
  const open = new Set<Kept>();
  const closings = new Set<Promise<void>>();

  function closeKept(kept: Kept): void {
    const closing = kept.connection.close().finally(() => {
      open.delete(kept);
      closings.delete(closing);
    });
    closings.add(closing);
  }

  function retireKept(kept: Kept): void {
    if (kept.retired) return;
    kept.retired = true;
    if (current === kept) current = undefined;
    if (kept.running === 0) closeKept(kept);
  }

  async function allClosed(): Promise<void> {
    await Promise.all(closings);
  }

  return {
    fresh: () => (current !== undefined && isAlive(current) && isFresh(current, now()) ? current : undefined),

    async openOrRefresh(signal) {
      const known = current;
      if (known !== undefined) {
        if (await refreshTools(known, signal, now)) return known;
        retireKept(known);
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
    },

    async call(kept, request) {
      kept.running++;
      try {
        return await kept.connection.call(request);
      } finally {
        kept.running--;
        if (kept.retired && kept.running === 0) closeKept(kept);
      }
    },

    retire: retireKept,
    closings: allClosed,

    async close() {
      for (const kept of open) {
        kept.retired = true;
        closeKept(kept);
      }
      current = undefined;
      await allClosed();
    },

    kill() {
      for (const { connection } of open) connection.kill();
    },
  };
}

/** Whether a connection takes calls. */
export function isAlive({ retired, connection }: Kept): boolean {
  return !retired && !connection.isClosed();
}

function isFresh({ connection, listedAt, changes }: Kept, now: number): boolean {
  return changes === connection.listChanges() && now - listedAt < FRESH_MS;
}

/**
 * Lists the tools again. @returns false when the connection is dead. @throws the signal's reason on abort.
 */
async function refreshTools(kept: Kept, signal: AbortSignal, now: () => number): Promise<boolean> {
  if (!isAlive(kept)) return false;
  const listedAt = now();
  const changes = kept.connection.listChanges();
  try {
    const listed = await kept.connection.listTools(signal);
    // The same object for the same list: everything derived from a list is derived once.
    const isSame = isDeepStrictEqual(listed, kept.listed);
    Object.assign(kept, { listed: isSame ? kept.listed : listed, listedAt, changes });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
