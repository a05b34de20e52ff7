// The claims of a session: its agents' ledgers, checked in stored results, and the verdict.

import type { Store } from '../../core/contract/store.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import { type ClaimsAnswer, readClaimsAnswer } from '../../evidence/claimsAnswer.ts';
import { listMechanismWords } from '../../evidence/mechanisms.ts';
import { type SessionVerdict, verdictPart } from '../../evidence/schema/verdict.ts';
import { type SearchedText, searchedText } from '../../evidence/searchText.ts';
import { type CheckedValue, createStatementCheck } from '../../evidence/statement.ts';
import { tokenizeText } from '../../evidence/tokens.ts';
import { type MergedHypotheses, mergeHypotheses } from './mergeHypotheses.ts';
import { type ReadClaims, readClaims } from './readClaims.ts';
import { sessionVerdict } from './sessionVerdict.ts';
import { type CheckedSupport, verdictFacts } from './verdictFacts.ts';

interface LocatedValue extends CheckedValue {
  /** The call that returned its result. Absent without one. */
  callId?: string;
  /** The first line of the result, from 1, with the value as the analysis writes it. Absent without. */
  line?: number;
}

/** The claims of a session. */
export interface SessionClaims extends ReadClaims {
  /** As it is stored; that of the present statements while it is not. */
  verdict: SessionVerdict;
  /** The evidence of all executions, with the states that it cites. */
  evidence: readonly CheckedSupport[];
  merged: MergedHypotheses;
  /** The merged hypotheses that the analysis concludes. */
  causes: readonly string[];
  /** Sentences of the analysis with their evidence. */
  links: ClaimsAnswer['links'];
  /** The values and marked assertions of the session's analysis; empty while there is none. */
  values: readonly LocatedValue[];
}

/**
 * Reads and checks the claims of a session.
 * @returns undefined when there is no such session.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function readSessionClaims(
  sessionId: string,
  store: Store,
  now: Date,
): Promise<SessionClaims | undefined> {
  const session = (await store.get(paths.session(sessionId), sessionType))?.value;
  if (session === undefined) return undefined;
  const read = await readClaims(session, store, now);
  const analysis = session.finalAnalysis ?? '';
  const facts = verdictFacts(session, read);
  const check = read.executions.find(({ kind }) => kind === 'claims');
  const { results, alert } = read.combined;
  const verdict = readPart(verdictPart, session) ?? sessionVerdict(session, read, facts);
  const merged = mergeHypotheses(read.executions);
  const isCovered = verdict.value === 'confirmed' || verdict.value === 'likely';
  const covered = merged.all
    .filter(({ id }) => isCovered && facts.cause.includes(id))
    .map(({ component = '', mechanism = '', text = '' }) =>
      [component, mechanism, text, ...listMechanismWords(mechanism)].join(' '),
    );
  const agents = read.executions.map(({ execution }) => execution.agentName);
  const checkValues = createStatementCheck(results, alert, read.unreadable.length === 0, covered, agents);
  const values = locate(checkValues(analysis), read);
  return {
    ...read,
    verdict,
    evidence: facts.evidence,
    merged,
    causes: facts.cause,
    links: readClaimsAnswer(check?.execution.finalAnalysis ?? null)?.links ?? [],
    values,
  };
}

/** The values with the calls and lines of their results, each of which is split once. */
function locate(values: readonly CheckedValue[], { combined }: ReadClaims): LocatedValue[] {
  const split = new Map<string, SearchedText>();
  return values.map((value) => {
    const source = combined.results.find(({ id }) => id === value.result);
    if (source === undefined) return value;
    const text = split.get(source.id) ?? searchedText(source.text);
    split.set(source.id, text);
    const [place] = text.placesOf(tokenizeText(value.text).tokens);
    return { ...value, callId: source.callId, ...(place && { line: place.line }) };
  });
}
