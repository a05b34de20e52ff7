// What stands between a client and its MCP server.

import type { Transport } from '@modelcontextprotocol/client';

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
}
