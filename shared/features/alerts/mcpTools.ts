// The tool of the MCP server that has an alert investigated.

import * as z from 'zod';
import { submitAlert } from '../../api/http/submitAlert.ts';
import { defineMcpTool, MAX_TOOL_WAIT_MS } from '../../api/mcp/mcpTool.ts';
import { awaitSessionId } from '../../kits/views/awaitSession.ts';
import { readSessionAnalysis } from '../../kits/views/sessionAnalysis.ts';

/** Publishes an alert and waits for its session. */
export const INVESTIGATE = defineMcpTool({
  name: 'investigate',
  description:
    'Has an alert investigated: JSON of any monitoring system, or a text that describes the fault. Gives the session, for get_analysis.',
  inputSchema: z.strictObject({
    alert: z.string().min(1).max(1_000_000).describe('JSON as text, or a text'),
    chain: z.string().min(1).max(200).optional(),
  }),
  role: 'responder',
  isReadOnly: false,
  async run({ alert, chain }, { caller, deps, signal }) {
    const { alertKey } = await submitAlert(Buffer.from(alert), { chain }, caller, deps);
    const over = AbortSignal.any([signal, AbortSignal.timeout(MAX_TOOL_WAIT_MS)]);
    const sessionId = await awaitSessionId(alertKey, deps.store, over).catch(() => undefined);
    return sessionId === undefined
      ? {
          alert_key: alertKey,
          note: 'It has no session yet: it waits, was refused, or was dropped by a rule.',
        }
      : { work: { sessionId, executionId: null } };
  },
  work: {
    wait: async ({ sessionId }) => ({ session_id: sessionId }),
    read: async ({ sessionId }, { deps }) => ({
      session_id: sessionId,
      ...(await readSessionAnalysis(sessionId, deps.store)),
    }),
  },
});
