// Keeps the connection to one MCP server, shared by all iterations of this process. It is checked before it
// is lent, dropped at its first fault and opened again: losing it costs only time.

import { InquestError, RetryableError } from '../../core/errors.ts';
import { createConnectionPool, isAlive, type Kept } from './connectionPool.ts';
import { STREAM_ENDED } from './httpLink.ts';
import type { CallRequest, LiveConnection, McpConnection } from './mcpConnection.ts';
import { errorChain } from './mcpFailure.ts';
import { type SharedWork, shareWork } from './sharedWork.ts';

/** Codes of errors before a request's first byte: no route to the server, or no connection in time. */
const UNSENT_SYSCALLS: readonly unknown[] = ['connect', 'getaddrinfo'];
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';
/** Servers' answers for an unknown session: 404 by the protocol, 400 by a much copied example. */
const SESSION_LOST = 404;
const SESSION_UNKNOWN = 400;

/** A server whose connection is kept. */
export interface KeptServer {
  /** Lends the open connection with tools of the last minute; `fresh`: of now. @throws as `connectServer`. */
  lend(signal: AbortSignal, fresh?: boolean): Promise<McpConnection>;
  /** Closes it, within 7 s. Never throws. */
  close(): Promise<void>;
  /** Ends its process, without waiting. */
  kill(): void;
}

/**
 * Keeps the connection to the server `name`. Several iterations can use it at once: MCP distinguishes
 * requests by their ids.
 * @param connect opens a connection.
 * @param now the time in milliseconds.
 */
export function keepServer(
  name: string,
  connect: (signal: AbortSignal) => Promise<LiveConnection>,
  now: () => number,
): KeptServer {
  const pool = createConnectionPool(connect, now);
  let opening: SharedWork<Kept> | undefined;
  const ending = new AbortController();

  /** The connection, opened and with fresh tools. */
  async function readyConnection(signal: AbortSignal, fresh = false): Promise<Kept> {
    const either = AbortSignal.any([signal, ending.signal]);
    either.throwIfAborted();
    const current = fresh ? undefined : pool.fresh();
    if (current !== undefined) return current;
    if (opening === undefined) {
      const work = shareWork(pool.openOrRefresh, () => {
        if (opening === work) opening = undefined;
      });
      opening = work;
    }
    return opening.join(either);
  }

  /** The connection as one iteration uses it: a call that was not sent is repeated on a new one. */
  function borrowConnection(first: Kept): McpConnection {
    let kept = first;
    let lost: Kept | undefined;
    const { instructions } = first.connection;
    return {
      listed: first.listed,
      ...(instructions !== undefined && { instructions }),
      async call(request) {
        const deadline = now() + request.timeoutMs;
        for (let repeats = 0; ; repeats++) {
          if (!isAlive(kept)) kept = await readyConnection(request.signal);
          const used = kept;
          const timeoutMs = repeats === 0 ? request.timeoutMs : deadline - now();
          try {
            return await pool.call(used, { ...request, timeoutMs });
          } catch (error) {
            if (request.signal.aborted) throw error;
            const failure = await classifyCallFailure(error, used.connection.kind);
            if (endsConnection(failure, used.connection)) {
              lost = used;
              pool.retire(used);
            }
            if (repeats > 0 || !mayRepeat(failure, request) || now() >= deadline) throw error;
          }
        }
      },
      lastWords: () => lost?.connection.lastWords() ?? '',
      // Replaced connections end with the iteration: between iterations nothing runs.
      close: () => pool.closings(),
    };
  }

  return {
    lend: async (signal, fresh) => borrowConnection(await readyConnection(signal, fresh)),

    async close() {
      const message = `MCP server "${name}" is unavailable: this process ends`;
      ending.abort(new RetryableError('TOOL_SERVER_UNAVAILABLE', message));
      await opening?.ended;
      await pool.close();
    },

    kill: () => pool.kill(),
  };
}

/** Whether a connection is lent no more after a failed call. */
function endsConnection(failure: CallFailure, { kind }: LiveConnection): boolean {
  switch (failure) {
    case 'answered':
      return false;
    case 'timed_out':
      // A process can hang. A server behind HTTP is shared with others, and its requests are independent.
      return kind === 'process';
    case 'refused':
    case 'unsent':
    case 'lost':
      return true;
  }
}

/** Whether a failed call can be sent again: one that possibly ran only if it is read-only. */
function mayRepeat(failure: CallFailure, { readOnly }: CallRequest): boolean {
  return failure === 'unsent' || (failure === 'lost' && readOnly);
}

/** How a call failed. */
type CallFailure =
  /** The call timed out. The server can still be running it, or hang. */
  | 'timed_out'
  /** The server answered over this connection, with an error or with something that cannot be read. */
  | 'answered'
  /** The server, or something before it, refused the request by an HTTP status. */
  | 'refused'
  /** It never reached a server that would have run it. */
  | 'unsent'
  /** The connection broke: it is unknown whether the server ran the call. */
  | 'lost';

/** Judges an error of `McpConnection.call`. Callers check their own abort first. */
async function classifyCallFailure(error: unknown, kind: LiveConnection['kind']): Promise<CallFailure> {
  const { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } = await import(
    '@modelcontextprotocol/client'
  );
  if (error instanceof ProtocolError) return error.code === STREAM_ENDED ? 'lost' : 'answered';
  if (error instanceof SdkHttpError) {
    if (kind === 'session' && error.status === SESSION_LOST) return 'unsent';
    return kind === 'session' && error.status === SESSION_UNKNOWN ? 'lost' : 'refused';
  }
  if (error instanceof SdkError) {
    switch (error.code) {
      case SdkErrorCode.RequestTimeout:
        return 'timed_out';
      case SdkErrorCode.NotConnected:
        return 'unsent';
      case SdkErrorCode.ConnectionClosed:
      case SdkErrorCode.SendFailed:
        return 'lost';
      default:
        return 'answered';
    }
  }
  // Ours: there was no token to send, or the answer was a redirect.
  if (error instanceof InquestError) return 'refused';
  return errorChain(error).some(isUnsent) ? 'unsent' : 'lost';
}

function isUnsent(error: Error): boolean {
  const { syscall, code } = error as NodeJS.ErrnoException;
  return UNSENT_SYSCALLS.includes(syscall) || code === CONNECT_TIMEOUT;
}
