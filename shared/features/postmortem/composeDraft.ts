// A draft of a postmortem: facts and checked prose in the places of a template. Pure.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import {
  fillTemplate,
  type PostmortemPlace,
  type PostmortemTemplate,
} from '../../contract/postmortemTemplate.ts';
import { causeWords } from '../../evidence/causeWords.ts';
import { plainMarkdown } from '../../text/plainMarkdown.ts';
import { minuteText } from '../../text/times.ts';
import { FACT_KINDS, type Fact, type FactKind, type IncidentFacts } from './facts.ts';
import type { Prose, ProseSentence } from './prose.ts';

/** A draft. */
interface PostmortemDraft {
  /** Markdown. Every line of fact has a link to the page. */
  markdown: string;
  /** The marked gaps of the draft. */
  gaps: string[];
}

interface DraftOptions {
  /** The address of the page, without a slash at its end. Empty: links start with `/s/`. */
  origin: string;
  /** Undefined for a draft without a model. */
  prose: Prose | undefined;
}

/** Composes a draft. */
export function composeDraft(
  incident: IncidentFacts,
  template: PostmortemTemplate,
  { origin, prose }: DraftOptions,
): PostmortemDraft {
  const { facts, sessions, leftOut, unreadable, hide } = incident;
  const gaps: string[] = [];
  const gap = (missing: string): string => {
    gaps.push(missing);
    return `**Gap:** ${missing}`;
  };
  const show = (text: string): string => plainMarkdown(hide(text));
  const link = ({ id, link: path }: Fact): string => `[${id}](${origin}${path})`;
  const listed = (kinds: readonly FactKind[], missing: string): string => {
    const lines = facts
      .filter(({ kind }) => kinds.includes(kind))
      .map((fact) => `- ${minuteText(fact.at)} ${show(fact.text)} (${link(fact)})`);
    return lines.length === 0 ? gap(missing) : lines.join('\n');
  };
  const written = (sentences: readonly ProseSentence[] | undefined): string =>
    (sentences ?? [])
      .map(({ text, facts: named }) => `${show(text)} (${named.map(link).join(', ')})`)
      .join(' ');

  const [first] = sessions;
  const alert = readSessionAlert(first?.session);
  const startedAt = earliest(sessions.map((one) => one.startedAt));
  const endedAt = latestEnd(sessions);
  const asFacts = (some: readonly Fact[]) =>
    some.map((fact) => `${show(fact.text)} (${link(fact)})`).join(' ');
  const ofKind = (kind: FactKind) => facts.filter((fact) => fact.kind === kind);
  const openings = facts.filter(({ link: path }) => !path.includes('#'));
  const whenEnded = (text: (at: Date) => string): string =>
    endedAt === null ? gap('When it ended is not known.') : text(endedAt);

  const parts: Record<PostmortemPlace, () => string> = {
    title: () => show(first?.session.title ?? alert?.title ?? ''),
    severity: () => (alert?.severity == null ? gap('The alert states no severity.') : show(alert.severity)),
    started: () => (startedAt === undefined ? gap('When it started is not known.') : minuteText(startedAt)),
    ended: () => whenEnded(minuteText),
    duration: () => whenEnded((at) => durationText(startedAt ?? at, at)),
    sessions: () =>
      sessions
        .map(({ session: { sessionId } }) => `[${plainMarkdown(sessionId)}](${origin}/s/${sessionId})`)
        .join(', '),
    summary: () => written(prose?.parts.summary) || asFacts(openings) || gap('No event of it is stored.'),
    impact: () => written(prose?.parts.impact) || gap('The impact was not measured, or no fact states it.'),
    cause: () => sessions.map((one) => causeText(one, { show, gap, origin })).join('\n\n'),
    resolution: () =>
      written(prose?.parts.resolution) || asFacts(ofKind('end')) || gap('No stored event states its end.'),
    timeline: () => listed(FACT_KINDS, 'Nothing is stored about it.'),
    findings: () => listed(['finding'], 'No evidence of a cause was stated and found.'),
    changes: () => listed(['change'], 'No change before it is known.'),
    actions: () => listed(['action', 'approval'], 'No action was recorded.'),
    notes: () => listed(['note'], 'There are no notes.'),
    questions: () =>
      sessions.flatMap(({ verdict }) => verdict.questions.map((one) => `- ${show(one)}`)).join('\n') ||
      'The check of the claims left none open.',
    lessons: () => gap('Lessons are for the people who were there.'),
    followups: () => gap('Follow-ups are for the people who were there.'),
  };
  const body = fillTemplate(template, (place) => parts[place]()).trimEnd();
  const notes = [
    ...(prose !== undefined && prose.leftOut > 0
      ? [gap(`${prose.leftOut} sentences of the model were left out: no fact supports them.`)]
      : []),
    ...(leftOut > 0 ? [gap(`${leftOut} later facts were left out.`)] : []),
    ...(unreadable > 0 ? [gap(`${unreadable} stored documents cannot be read.`)] : []),
  ];
  return { markdown: [body, ...notes, ''].join('\n\n'), gaps };
}

/** The verdict of a session, never more than it, and the causes that it covers. */
function causeText(
  { session: { sessionId }, verdict }: IncidentFacts['sessions'][number],
  { show, gap, origin }: Record<'show' | 'gap', (text: string) => string> & { origin: string },
): string {
  const isCovered = verdict.value === 'confirmed' || verdict.value === 'likely';
  const causes = isCovered ? verdict.causes.map((cause) => `- ${show(causeWords(cause))}`) : [];
  const missing = isCovered ? [] : [gap('The cause is not proved.')];
  return [
    `${show(verdict.sentence)} ([claims](${origin}/s/${sessionId}#claims))`,
    ...causes,
    ...missing,
  ].join('\n\n');
}

function earliest(dates: readonly Date[]): Date | undefined {
  return dates.toSorted((a, b) => a.getTime() - b.getTime())[0];
}

/** The end of the last one; null while one has none. */
function latestEnd(sessions: IncidentFacts['sessions']): Date | null {
  const ends = sessions.flatMap(({ resolvedAt }) => resolvedAt ?? []);
  return ends.length < sessions.length
    ? null
    : (ends.toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null);
}

function durationText(from: Date, to: Date): string {
  const minutes = Math.max(0, Math.round((to.getTime() - from.getTime()) / 60_000));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
