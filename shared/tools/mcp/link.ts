// What stands between a client and its MCP server.

import type { Transport } from '@modelcontextprotocol/client';
import type { BodyLimit } from './responseLimit.ts';

/** A transport, and what ends the session at the server before it is closed. */
export interface Link {
  transport: Transport;
  /** The end of what the process wrote to standard error. */
  stderr: () => string;
  endSession: () => Promise<void>;
  /** What is removed after the transport was closed. */
  cleanUp: () => void;
  /** What stands behind it: a process, a session at the server, or nothing that could be lost. */
  kind: () => 'process' | 'session' | 'stateless';
  /** Tells the process to end, without waiting for it. */
  kill: () => void;
  state: LinkState;
}

/** What is asked of a server now. A process answers everything over one stream. */
export interface LinkState {
  isListing: boolean;
  isCalling: boolean;
  /** The limit that a message of the process passed: it is not read any more. */
  tooLong?: BodyLimit;
}
