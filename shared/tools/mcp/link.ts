// The transport between a client and its MCP server, with its current request and the steps that end it.

import type { Transport } from '@modelcontextprotocol/client';
import type { BodyLimit } from '../http/responseLimit.ts';

/** A transport, with the steps that end its session. */
export interface Link {
  /** The transport that the SDK's client uses. */
  transport: Transport;
  /** The end of the process's standard error. */
  stderr: () => string;
  /** Ends the session at the server, if there is one. */
  endSession: () => Promise<void>;
  /** Removes temporary files after the transport was closed. */
  cleanUp: () => void;
  /** The other end of the transport: a process, a session at the server, or a server without state. */
  kind: () => 'process' | 'session' | 'stateless';
  /** Signals the process to end, without waiting for it. */
  kill: () => void;
  /** Changed in place by the connection that uses the link. */
  state: LinkState;
}

/** The request in progress. A process answers everything over one stream. */
export interface LinkState {
  /** Whether a list of tools is being read. Without a running call its lower limit applies. */
  isListing: boolean;
  /** Whether a call of a tool runs. */
  isCalling: boolean;
  /** The limit that a message of the process passed: it is not read any more. */
  tooLong?: BodyLimit;
}
