// The connections to MCP servers that this process keeps between iterations: one for each server.

import { type KeptServer, keepServer } from './cachedConnection.ts';
import { type ConnectServer, connectServer, type LiveConnection } from './mcpConnection.ts';

/** A configuration has a handful of servers. Further ones are connected for each iteration. */
const MAX_KEPT = 32;

interface KeepOptions {
  /** The time in milliseconds. */
  now: () => number;
  /** Default: `connectServer`. */
  connect?: ConnectServer<LiveConnection>;
}

/** The connections that this process keeps. */
export interface KeptConnections {
  /**
   * Lends the connection to a server; its `close` gives it back. A server with `keepConnection: false` gets a
   * new connection each time.
   */
  connect: ConnectServer;
  /** Closes all connections and ends all processes, within 7 s. Nothing is lent afterwards. Never throws. */
  close(): Promise<void>;
  /** Signals all processes to end, without waiting for them: for the end of this process. */
  kill(): void;
}

/**
 * Keeps connections by the server's name and its whole configuration, so that another address or another key
 * is another connection. At most 32 are kept. Nothing of a session is kept with them.
 */
export function keepConnections({ now, connect = connectServer }: KeepOptions): KeptConnections {
  const servers = new Map<string, KeptServer>();
  return {
    connect(name, config, signal, fresh) {
      const key = JSON.stringify([name, config]);
      let server = servers.get(key);
      if (server === undefined && config.keepConnection && servers.size < MAX_KEPT) {
        server = keepServer(name, (opening) => connect(name, config, opening, true), now);
        servers.set(key, server);
      }
      return server === undefined ? connect(name, config, signal, fresh) : server.lend(signal, fresh);
    },
    async close() {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
    kill() {
      for (const server of servers.values()) server.kill();
    },
  };
}
