// The result of a session as programs of models get it.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { Store } from '../../core/contract/store.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import { verdictPart } from '../../evidence/schema/verdict.ts';
import { readVerdict } from '../../evidence/verdictWords.ts';

/** The result of a session; undefined when there is no such session. @throws as `Store.get`. */
export async function readSessionAnalysis(sessionId: string, store: Store): Promise<object | undefined> {
  const session = (await store.get(paths.session(sessionId), sessionType))?.value;
  if (session === undefined) return undefined;
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
