// Tools of the MCP server that read the claims and the open questions of an investigation.

import * as z from 'zod';
import type { RequestDeps } from '../../api/http/route.ts';
import { sessionParams, unknownSession } from '../../api/http/schemas.ts';
import { defineMcpTool } from '../../api/mcp/mcpTool.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readVerdict } from '../../evidence/verdictWords.ts';
import { readSessionClaims } from '../../kits/claims/sessionClaims.ts';
import { findElicit } from '../../kits/questions/findElicit.ts';
import { claimsView } from './claimsView.ts';

const LISTS = ['hypotheses', 'evidence', 'links', 'values'] as const;

/** Shows the claims of a session. */
export const GET_CLAIMS = defineMcpTool({
  name: 'get_claims',
  description:
    'The claims of an investigation: hypotheses, evidence with the lines of results that hold it, values of the analysis, and the verdict.',
  inputSchema: z.strictObject({
    session_id: sessionParams.shape.sessionId,
    limit: z.int().min(1).max(200).default(50).describe('The most entries of each list'),
  }),
  role: 'viewer',
  isReadOnly: true,
  async run({ session_id, limit }, { deps }) {
    const { outcome: _, ...view } = claimsView(await loadClaims(session_id, deps), undefined);
    const cut = LISTS.filter((list) => view[list].length > limit);
    const lists = LISTS.map((list) => [list, view[list].slice(0, limit)]);
    const counts = cut.map((list) => [list, view[list].length - limit]);
    const left = cut.length > 0 && { left_out: Object.fromEntries(counts) };
    return { ...view, ...Object.fromEntries(lists), ...left };
  },
});

/** Shows the open questions of a session. */
export const OPEN_QUESTIONS = defineMcpTool({
  name: 'open_questions',
  description:
    'The open questions of an investigation: comparisons without an answer, missing servers, unknown origins, and the question that an agent asks people.',
  inputSchema: z.strictObject({ session_id: sessionParams.shape.sessionId }),
  role: 'viewer',
  isReadOnly: true,
  async run({ session_id }, { deps }) {
    const { verdict } = await loadClaims(session_id, deps);
    const session = await deps.store.get(paths.session(session_id), sessionType);
    const { value, sentence, questions } = readVerdict(verdict);
    const found = session && (await findElicit(session.value, deps.store));
    return { verdict: value, sentence, questions, question_to_people: found?.elicit ?? null };
  },
});

async function loadClaims(sessionId: string, { store, clock }: Pick<RequestDeps, 'store' | 'clock'>) {
  const claims = await readSessionClaims(sessionId, store, clock.now());
  if (claims === undefined) throw unknownSession(sessionId);
  return claims;
}
