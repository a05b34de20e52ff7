// Tools of the MCP server that read sessions.

import * as z from 'zod';
import { ALERT_SOURCES } from '../../alerts/sources.ts';
import { sessionParams, unknownSession, wordsSchema } from '../../api/http/schemas.ts';
import { defineMcpTool } from '../../api/mcp/mcpTool.ts';
import { nameSchema } from '../../core/schema/common.ts';
import { SESSION_STATUSES } from '../../core/schema/session.ts';
import { readSessionAnalysis } from '../../kits/views/sessionAnalysis.ts';
import type { ListedSessions } from '../../kits/views/tenantSessions.ts';
import { listPage } from './sessionsRoutes.ts';

/** Pages that one call reads. */
const MAX_PAGES = 20;

/** Lists sessions. */
export const LIST_SESSIONS = defineMcpTool({
  name: 'list_sessions',
  description:
    'Lists investigations and chats, the newest first. With text only investigations that have ended and whose alert or analysis has these words.',
  inputSchema: z.strictObject({
    status: z.enum(SESSION_STATUSES).optional(),
    source: z.enum(ALERT_SOURCES).optional(),
    severity: z.string().min(1).max(200).optional(),
    chain: nameSchema.optional(),
    text: wordsSchema.optional(),
    limit: z.int().min(1).max(50).default(10),
  }),
  role: 'viewer',
  isReadOnly: true,
  async run({ status, source, severity, chain, text: q, limit }, { caller, deps }) {
    const fields = {
      status: listed(status),
      source: listed(source),
      severity: listed(severity),
      chain: listed(chain),
    };
    const sessions: ListedSessions['rows'] = [];
    // A page can have few of the sessions that it reads.
    for (let pages = 0, after: string | undefined; pages < MAX_PAGES; pages++) {
      const page = await listPage({ ...fields, q, limit: limit - sessions.length, after }, caller, deps);
      sessions.push(...page.rows);
      if (page.next === null || sessions.length === limit) break;
      after = page.next;
    }
    return { sessions };
  },
});

/** Shows the result of a session. */
export const GET_ANALYSIS = defineMcpTool({
  name: 'get_analysis',
  description: 'What an investigation found: its status, summary, analysis, and missing parts.',
  inputSchema: z.strictObject({ session_id: sessionParams.shape.sessionId }),
  role: 'viewer',
  isReadOnly: true,
  async run({ session_id }, { deps }) {
    const analysis = await readSessionAnalysis(session_id, deps.store);
    if (analysis === undefined) throw unknownSession(session_id);
    return analysis;
  },
});

const listed = <T>(value: T | undefined): T[] | undefined => (value === undefined ? undefined : [value]);
