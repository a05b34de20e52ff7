// Tools of the MCP server that read sessions.

import * as z from 'zod';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { ALERT_SOURCES } from '../../alerts/sources.ts';
import type { RequestDeps } from '../../api/http/route.ts';
import { sessionParams, unknownSession, wordsSchema } from '../../api/http/schemas.ts';
import { defineMcpTool } from '../../api/mcp/mcpTool.ts';
import { nameSchema } from '../../core/schema/common.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import { SESSION_STATUSES } from '../../core/schema/session.ts';
import { verdictPart } from '../../evidence/schema/verdict.ts';
import { readVerdict } from '../../evidence/verdictWords.ts';
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
  run: ({ session_id }, { deps }) => loadSessionAnalysis(session_id, deps),
});

async function loadSessionAnalysis(sessionId: string, { store }: RequestDeps): Promise<object> {
  const session = (await store.get(paths.session(sessionId), sessionType))?.value;
  if (session === undefined) throw unknownSession(sessionId);
  const { status, executiveSummary, finalAnalysis, partial, caveats, failure } = session;
  const alert = readSessionAlert(session);
  const verdict = readPart(verdictPart, session);
  return {
    status,
    alert: alert && {
      title: alert.title,
      severity: alert.severity,
      source: alert.source,
      status: alert.status,
    },
    summary: executiveSummary,
    analysis: finalAnalysis,
    verdict: verdict === undefined ? null : readVerdict(verdict),
    partial,
    caveats,
    failure,
  };
}

const listed = <T>(value: T | undefined): T[] | undefined => (value === undefined ? undefined : [value]);
