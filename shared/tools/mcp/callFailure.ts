// Classifies failed calls: whether the connection is still usable, and whether the call can be repeated.

import { InquestError } from '../../core/errors.ts';
import { STREAM_ENDED } from './httpLink.ts';
import type { LiveConnection } from './mcpConnection.ts';
import { errorChain } from './mcpFailure.ts';

/** How a call failed. */
export type CallFailure =
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

/** Codes of errors before a request's first byte: no route to the server, or no connection in time. */
const UNSENT_SYSCALLS: readonly unknown[] = ['connect', 'getaddrinfo'];
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';
/** Servers' answers for an unknown session: 404 by the protocol, 400 by a much copied example. */
const SESSION_LOST = 404;
const SESSION_UNKNOWN = 400;

/** Judges an error of `McpConnection.call`. Callers check their own abort first. */
export async function classifyCallFailure(
  error: unknown,
  kind: LiveConnection['kind'],
): Promise<CallFailure> {
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
