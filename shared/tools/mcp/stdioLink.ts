// An MCP server as a process of this machine.

import type { StdioServerConfig } from '../../contract/mcpServer.ts';
import type { Link } from './link.ts';
import { createPrivateHome } from './privateHome.ts';
import { MAX_ANSWER_BYTES } from './responseLimit.ts';

/** Characters of a server's standard error that are kept, to explain why it did not start. */
const STDERR_CHARACTERS = 4_000;
/** Characters that are dropped of a single line that was cut. */
const LONGEST_SECRET = 1_000;

/** Prepares the process, which starts when the client connects. Its home is removed when the link is closed. */
export async function stdioLink(config: StdioServerConfig): Promise<Link> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const ownHome =
    config.home === 'inherit' || config.env.HOME !== undefined ? undefined : createPrivateHome();
  const transport = new StdioClientTransport({
    command: config.command,
    args: config.args,
    env: { ...config.env, ...(ownHome && { HOME: ownHome.path }) },
    stderr: 'pipe',
    maxBufferSize: MAX_ANSWER_BYTES,
    ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr = keepEnd(stderr + chunk.toString());
  });
  return {
    transport,
    stderr: () => stderr,
    endSession: async () => {},
    cleanUp: () => ownHome?.remove(),
    kind: () => 'process',
    kill() {
      const { pid } = transport;
      if (pid === null) return;
      try {
        process.kill(pid);
      } catch {
        // It has ended already.
      }
    },
  };
}

/** The end of what was written. What is left of a line that was cut is dropped: it may begin with half a secret. */
export function keepEnd(text: string): string {
  if (text.length <= STDERR_CHARACTERS) return text;
  const end = text.slice(-STDERR_CHARACTERS);
  const nextLine = end.indexOf('\n') + 1;
  return nextLine > 0 && nextLine < end.length ? end.slice(nextLine) : end.slice(LONGEST_SECRET);
}
