// The facts for a session's verdict: from checked statements and records of its results. Pure.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import type { CaveatCode } from '../../core/schema/common.ts';
import { readPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { readClaimsAnswer } from '../../evidence/claimsAnswer.ts';
import type { Contrast, ContrastAnswer, ContrastScope, Speaking } from '../../evidence/contrast.ts';
import { readObservation } from '../../evidence/observation.ts';
import { baseName, fieldList } from '../../evidence/records/fieldList.ts';
import { readRecords } from '../../evidence/records/readRecords.ts';
import type { StateRecord } from '../../evidence/records/record.ts';
import {
  bestContrast,
  citedStates,
  findBestChange,
  findComponentRecords,
  findMatchingStates,
  hasWords,
  identifyWriter,
  isLinked,
  isSupport,
  mechanismIn,
  namesComponent,
  otherStates,
} from '../../evidence/supports.ts';
import { readSymptom } from '../../evidence/symptom.ts';
import type { CheckedEvidence, CheckedHypothesis, VerdictFacts } from '../../evidence/verdict.ts';
import { readPinned } from '../agents/pins.ts';
import { ownersPart } from '../topology/topology.ts';
import type { CitableResult } from './citableResults.ts';
import type { ExecutionClaims } from './executionClaims.ts';
import { ALERT, PERSON } from './matchEvidence.ts';
import { type MergedHypotheses, mergeHypotheses } from './mergeHypotheses.ts';
import { executionLetter, type ReadClaims } from './readClaims.ts';

/** Reasons of a conclusion that was forced or cut. */
const FORCED: ReadonlySet<CaveatCode> = new Set<CaveatCode>([
  'MAX_ITERATIONS',
  'BUDGET_REACHED',
  'TOOL_SERVER_UNAVAILABLE',
  'ITERATION_TIMEOUT',
  'MODEL_EMPTY_ANSWER',
  'MODEL_TRUNCATED',
  'DOCUMENT_TOO_LARGE',
]);

interface CitedState {
  state: Speaking;
  contrast: Contrast;
}

/** Evidence with the state that it cites. */
export interface CheckedSupport extends CheckedEvidence {
  cited?: CitedState;
  /** The mechanism that it shows, where it is not that of the hypothesis. */
  shows?: string;
}

/** The facts of the table, and of its sentence. */
export interface SessionFacts extends VerdictFacts {
  evidence: readonly CheckedSupport[];
  /** The contrasted states of other mechanisms, by hypothesis. */
  others: ReadonlyMap<string, { against: Speaking[]; upstream: Speaking[] }>;
  scope: ContrastScope;
}

/** The facts of the table of verdicts. @param added hypotheses that no agent stated. Default: none. */
export function verdictFacts(
  session: Session,
  read: ReadClaims,
  added: MergedHypotheses['all'] = [],
): SessionFacts {
  const { executions, combined } = read;
  const merged = mergeHypotheses(executions);
  const check = executions.find(({ kind }) => kind === 'claims');
  const answer = readClaimsAnswer(check?.execution.finalAnalysis ?? null);
  const cause = (answer?.cause ?? []).map((id) => merged.nameOf(check?.execution.executionId ?? '', id));
  const unanswered = [...combined.calls.values()].filter((isAnswered) => !isAnswered).length;
  const scope = contrastScope(session, read);
  const symptom = findSessionSymptom(session, read);
  const agents = executions.filter(({ kind }) => kind === 'agent').map(({ execution }) => execution);
  const isClear = answer?.conclusion === 'not_an_incident' || symptom === 'recovered';
  const evidence = executions.flatMap((one, index) => checkedEvidence(one, index, merged, scope));
  const all = [...merged.all, ...added];
  const others = new Map(
    all.map((one) => {
      const own = evidence.flatMap(({ hypothesis, cited }) =>
        hypothesis === one.id && cited !== undefined ? [cited.state] : [],
      );
      return [one.id, otherStates(one, own, scope)] as const;
    }),
  );
  const hypotheses = all.map((one): CheckedHypothesis => {
    const { id, component, mechanism } = one;
    return {
      id,
      ...(component !== undefined && { component }),
      ...(mechanism !== undefined && { mechanism }),
      isSeen: isSeen(one, read, scope, merged),
      changeThings: findBestChange(one, scope)?.things ?? 0,
      isContradicted: (others.get(id)?.against.length ?? 0) > 0,
    };
  });
  return {
    isChecked: answer !== undefined,
    hypotheses,
    evidence,
    cause: [...new Set(cause)],
    calls: { distinct: combined.calls.size, unanswered },
    ...(symptom !== undefined && isClear && { allClear: symptom }),
    isForced: agents.some(({ caveats }) => caveats.some((code) => FORCED.has(code))),
    isServerMissing: missingServers(read).length > 0,
    isLinked,
    isContrastOff: session.chain.contrast === 'off',
    others,
    scope,
  };
}

/** The records of the results, and the times around the alert. */
export function contrastScope(
  session: Session,
  read: Pick<ReadClaims, 'combined' | 'window' | 'contrasts'>,
): ContrastScope {
  const { combined, window } = read;
  const learned = readPart(ownersPart, session)?.owned;
  return {
    ...(learned !== undefined && { learned }),
    answers: contrastAnswers(read),
    sources: combined.results
      .filter(({ isError }) => !isError)
      .map((result) => ({ ...result, records: recordsIn(result) })),
    alertAt: alertTime(session).getTime(),
    now: window.to,
  };
}

/** The start of the alert. */
export const alertTime = (session: Session): Date =>
  readSessionAlert(session)?.startedAt ?? session.createdAt;

/** The records of a result; none where its tool yields no state, or has no list. */
function recordsIn(result: CitableResult): readonly StateRecord[] {
  const list = result.yields === 'state' ? fieldList(result.fields ?? '') : undefined;
  return list === undefined ? [] : readRecords(result, list).records;
}

/** The answers of the calls for contrast, with their records. */
function contrastAnswers({ contrasts }: Pick<ReadClaims, 'contrasts'>): ContrastAnswer[] {
  return contrasts.map(({ call, result }) =>
    result === undefined || result.isError ? { call } : { call, records: recordsIn(result) },
  );
}

function isSeen(
  { id, component }: MergedHypotheses['all'][number],
  { executions }: ReadClaims,
  scope: ContrastScope,
  { nameOf }: MergedHypotheses,
): boolean {
  return (
    findComponentRecords(component, scope).length > 0 ||
    executions.some(({ execution, ledger, matches, citable }) =>
      [...ledger.evidence.values()].some((one) => {
        const { state, result } = matches.get(one.id) ?? {};
        if (state !== 'held' || nameOf(execution.executionId, one.hypothesis) !== id) return false;
        const source = citable.results.find((other) => other.id === result);
        return namesComponent(`${one.quote ?? ''}\n${source?.arguments ?? ''}`, component);
      }),
    )
  );
}

/** The servers that were missing at the end and have the tool of a support. */
export function missingServers({ executions }: ReadClaims): string[] {
  const missing = new Set(
    executions.flatMap(({ execution }) => execution.missingServers.map(({ name }) => name)),
  );
  const needed = executions.flatMap(({ citable, matches }) =>
    [...matches.values()].flatMap(
      ({ result }) => citable.results.find(({ id }) => id === result)?.tool ?? [],
    ),
  );
  return [...new Set(needed.flatMap((tool) => tool.split('.')[0] ?? ''))].filter((name) => missing.has(name));
}

function findSessionSymptom(session: Session, { combined, window }: ReadClaims) {
  const { input } = session;
  const alert = readSessionAlert(session);
  if (alert === null) return undefined;
  const urls = [alert.url, ...alert.links.map(({ url }) => url)].filter((url) => url !== null);
  const results = combined.results.filter(
    ({ yields, isError, fields, tool }) =>
      yields === 'state' && !isError && fields !== undefined && areSamples(fields, tool),
  );
  const at = { start: alertTime(session).getTime(), now: window.to };
  return readSymptom({ urls, text: input ?? '', labels: alert.labels }, results, at);
}

const areSamples = (fields: string, tool: string): boolean =>
  fieldList(fields)?.calls[baseName(tool)]?.samples !== undefined;

/** The kind of evidence by the result that it names, and the one in which it stands. */
const chooseEvidenceKind = (
  named: string | undefined,
  source: CitableResult | undefined,
): CheckedEvidence['yields'] => {
  if (named === ALERT || named === PERSON) return named;
  return source?.isError ? 'error' : (source?.yields ?? 'text');
};

/** The evidence of an execution. @param index its position among all. */
function checkedEvidence(
  { execution, kind, ledger, citable, matches }: ExecutionClaims,
  index: number,
  merged: MergedHypotheses,
  scope: ContrastScope,
): CheckedSupport[] {
  const { executionId } = execution;
  return [...ledger.evidence.values()].map((evidence) => {
    const { id, side, quote = evidence.value ?? '' } = evidence;
    const match = matches.get(id);
    const source = citable.results.find((one) => one.id === match?.result);
    const hypothesis = merged.nameOf(executionId, evidence.hypothesis);
    const suspect = merged.all.find((one) => one.id === hypothesis);
    const place = kind === 'agent' ? `${executionLetter(index)}.${source?.id}` : (source?.id ?? '');
    const cites = { id: place, text: source?.text ?? '' };
    const states = citedStates(evidence, cites, findMatchingStates({ component: suspect?.component }, scope));
    const supports = states.filter(isSupport);
    const isOwn = ({ row }: Speaking) =>
      suspect?.mechanism === undefined || row.mechanism === suspect.mechanism;
    const cited = bestContrast(supports.filter(isOwn), scope);
    const shows =
      cited === undefined && source !== undefined
        ? (supports[0]?.row.mechanism ?? mechanismIn(quote))
        : undefined;
    // A person's words are a text like any other: they never show a state.
    const canSpeak = source === undefined ? evidence.result === PERSON : !source.isError;
    const isText = canSpeak && hasWords(quote, suspect?.mechanism);
    const { tool, resource } =
      source === undefined ? { tool: evidence.result ?? '', resource: '' } : readObservation(source);
    return {
      id: `${executionId}:${id}`,
      hypothesis,
      side,
      state: match?.state ?? 'absent',
      yields: chooseEvidenceKind(evidence.result, source),
      speaks: cited === undefined ? (isText ? 'text' : 'nothing') : 'state',
      contrast: cited?.contrast.state ?? 'open',
      isOfChange: states.some((one) => one.row.change !== true || isOwn(one)),
      tool,
      writer: identifyWriter(tool, resource),
      isFailed: false,
      isMasked: match?.isMasked === true,
      isToolChanged: source !== undefined && readPinned(execution).changedTools.includes(source.tool),
      ...(cited !== undefined && { cited }),
      ...(shows !== undefined && shows !== suspect?.mechanism && { shows }),
    };
  });
}
