// The differences of two sessions: verdict, hypotheses, evidence, calls, tokens, cost and time.

import { readPart } from '../core/schema/parts.ts';
import { causeWords } from '../evidence/causeWords.ts';
import { verdictPart } from '../evidence/schema/verdict.ts';
import { verdictSentence } from '../evidence/verdictWords.ts';
import { readSessionClaims } from '../kits/claims/sessionClaims.ts';
import { readRecordedSession } from './recordedSession.ts';
import type { Recording } from './recording.ts';

/** The comparison of two sessions. */
interface SessionDiff {
  /** Each field with its value in both. */
  fields: { name: string; one: string | number | null; other: string | number | null }[];
  /** The calls of both, aligned: `one` and `other` were made in one of them only. */
  calls: { side: 'both' | 'one' | 'other'; call: string }[];
  /** The stated evidence of both, as `state side quote`, aligned in the order of its text. */
  evidence: SessionDiff['calls'];
}

/** Compares two sessions. @throws as `readRecordedSession`. */
export async function diffSessions(one: Recording, other: Recording): Promise<SessionDiff> {
  const [a, b] = await Promise.all([summarizeRecording(one), summarizeRecording(other)]);
  const fields = Object.keys(a.fields).map((name) => ({
    name,
    one: a.fields[name] ?? null,
    other: b.fields[name] ?? null,
  }));
  return { fields, calls: alignLists(a.calls, b.calls), evidence: alignLists(a.evidence, b.evidence) };
}

async function summarizeRecording(recording: Recording) {
  const { session, timeline, executions } = await readRecordedSession(recording);
  const claims = await readSessionClaims(session.sessionId, recording.store, new Date());
  const verdict = readPart(verdictPart, session);
  const hypotheses = claims?.merged.all ?? [];
  const fields: Record<string, string | number | null> = {
    session: session.sessionId,
    status: session.status,
    verdict: verdict === undefined ? null : verdictSentence(verdict),
    causes: verdict?.causes.map(causeWords).join('; ') || null,
    hypotheses: hypotheses.map(causeWords).join('; ') || null,
    iterations: executions.reduce((sum, { iteration }) => sum + iteration, 0),
    tokens: session.tokens.total,
    usd: session.cost.unpricedCalls > 0 ? null : session.cost.usd,
    seconds:
      session.endedAt === null ? null : (session.endedAt.getTime() - session.createdAt.getTime()) / 1_000,
  };
  const calls = timeline
    .toSorted((x, y) => x.createdAt.getTime() - y.createdAt.getTime())
    .flatMap((event) =>
      event.eventType === 'llm_tool_call' ? [`${event.metadata.toolName} ${event.metadata.arguments}`] : [],
    );
  const stated = (claims?.executions ?? []).flatMap(({ kind, ledger, matches }) =>
    [...ledger.evidence.values()].flatMap(({ id, side, quote, value }) =>
      kind === 'agent' ? [`${matches.get(id)?.state ?? 'absent'} ${side} ${quote ?? value ?? ''}`] : [],
    ),
  );
  return { fields, calls, evidence: stated.sort() };
}

/** The longest common order of two lists, with what only one of them has. */
function alignLists(one: readonly string[], other: readonly string[]): SessionDiff['calls'] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row) row[j] = one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const calls: SessionDiff['calls'] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    const [a, b] = [one[i], other[j]];
    if (a !== undefined && a === b) {
      calls.push({ side: 'both', call: a });
      i++;
      j++;
    } else if (a !== undefined && (b === undefined || at(i + 1, j) >= at(i, j + 1))) {
      calls.push({ side: 'one', call: a });
      i++;
    } else {
      calls.push({ side: 'other', call: b ?? '' });
      j++;
    }
  }
  return calls;
}
