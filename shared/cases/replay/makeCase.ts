// Makes a case of a recorded session: the texts of agents, and apart from it the truth of a person or review.

import { stringify } from 'yaml';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { readSessionClaims } from '../../kits/claims/sessionClaims.ts';
import { alertBodyType, paths, workType } from '../../lists/documents.ts';
import { isObject, parseJson } from '../../text/json.ts';
import { MECHANISMS } from '../../text/mechanisms.ts';
import { readRecordedSession } from '../recordedSession.ts';
import type { Recording } from '../recording.ts';
import { toolsOfRecording } from './recordedCalls.ts';

/** The settings of `makeCase`. */
interface CaseSettings {
  licence: string;
  tags: readonly string[];
  /** The cause that a person gives. Undefined: that of the newest review with component and mechanism. */
  cause: { component: string; mechanism: string } | undefined;
  /** A text that occurs nowhere else. */
  canary: string;
}

interface CaseFiles {
  caseYaml: string;
  /** Undefined without a known cause. */
  truthYaml: string | undefined;
  /** Lines of evidence in it. */
  lines: number;
  /** Other causes that people named in their newest reviews. None where a person gave the cause. */
  others: readonly string[];
}

/**
 * Makes the files.
 * @returns undefined for a session without an alert.
 * @throws as `readRecordedSession`.
 */
export async function makeCase(recording: Recording, settings: CaseSettings): Promise<CaseFiles | undefined> {
  const recorded = await readRecordedSession(recording);
  const { sessionId, createdAt } = recorded.session;
  const alert = readSessionAlert(recorded.session);
  if (alert === null) return undefined;
  const { store } = recording;
  const below = `${paths.session(sessionId)}`;
  const bodies = await store.list({ collection: `${below}/alertBody` }, alertBodyType);
  const ordered = bodies.map(({ value }) => value).toSorted((a, b) => a.part - b.part);
  const body = parseJson(ordered.map(({ text }) => text).join(''));
  const { title, severity, summary, startedAt: startsAt, labels } = alert;
  const caseYaml = stringify(
    {
      version: 1,
      licence: settings.licence,
      tags: settings.tags,
      at: createdAt.toISOString(),
      alert: isObject(body) ? body : { title, severity, summary, startsAt, labels },
      tools: toolsOfRecording(recorded),
    },
    { lineWidth: 0 },
  );
  const reviewed = await store.list({ collection: `${below}/work` }, workType);
  const reviews = reviewed.map(({ value }) => value).filter(({ review }) => review !== null);
  // Of a person, the newest review counts.
  const newest = new Map(reviews.toSorted((a, b) => a.number - b.number).map((one) => [one.by, one]));
  const causes = [...newest.values()]
    .toSorted((a, b) => b.number - a.number)
    .flatMap(({ review }) => review?.cause ?? [])
    .filter(({ component, mechanism }) => component !== null && MECHANISMS.some((one) => one === mechanism));
  const cause = settings.cause ?? causes[0];
  const named = new Set(causes.map((one) => `${one.component}, ${one.mechanism}`));
  const others = settings.cause === undefined ? [...named].slice(1) : [];
  if (cause === undefined) return { caseYaml, truthYaml: undefined, lines: 0, others };
  const { component, mechanism } = cause;
  const evidence = await heldEvidence(recording, component);
  const { canary } = settings;
  return {
    caseYaml,
    lines: evidence.length,
    others,
    truthYaml: stringify({ causes: [{ component, mechanism }], evidence, canary }, { lineWidth: 0 }),
  };
}

/** The quotes for hypotheses about a component that code found in the results. */
async function heldEvidence({ sessionId, store }: Recording, component: string | null): Promise<string[]> {
  const claims = await readSessionClaims(sessionId, store, new Date());
  const quotes = (claims?.executions ?? []).flatMap(({ kind, ledger, matches }) =>
    [...ledger.evidence.values()].flatMap(({ id, hypothesis, side, quote }) => {
      const isOwn = [...ledger.hypotheses.values()].some(
        (one) => one.id === hypothesis && one.component === component,
      );
      const isHeld = kind === 'agent' && side === 'for' && matches.get(id)?.state === 'held';
      return isOwn && isHeld && quote ? [quote] : [];
    }),
  );
  return [...new Set(quotes)];
}
