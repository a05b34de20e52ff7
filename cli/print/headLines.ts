// The lines that a reader needs first: the problem, its place, the command to run now, and the verdict.

import { locateAlertPlace, placeText } from '../../shared/alerts/alertLocation.ts';
import type { SessionVerdict } from '../../shared/evidence/schema/verdict.ts';
import { readVerdict } from '../../shared/evidence/verdictWords.ts';
import { findCommand } from '../../shared/kits/deliveries/findCommand.ts';
import type { SessionView } from '../../shared/kits/views/sessionView.ts';
import { printableText } from '../process/output.ts';
import { problemText } from './reports.ts';

/** The fields of a session that the lines are made of. */
export type HeadedSession = Pick<SessionView, 'problem' | 'alert' | 'executiveSummary' | 'finalAnalysis'> & {
  verdict: SessionVerdict | null;
};

type HeadLine = [label: string, text: string];

/**
 * The lines in the order of every output. Lines without a text are left out.
 * @param now decides which times need a day.
 */
export function headLines(session: HeadedSession, now: Date): HeadLine[] {
  const { alert, executiveSummary, finalAnalysis, verdict } = session;
  const { command } = findCommand(executiveSummary, finalAnalysis);
  const lines: [label: string, text: string | null][] = [
    ['Problem', problemText(session.problem, now)],
    ['Alert', alert && `${alert.title} (${alert.severity ?? 'no severity'}, ${alert.source})`],
    ['Place', alert && placeText(locateAlertPlace(alert))],
    ['Do now', command],
    ...(verdict === null ? [] : verdictLines(verdict)),
  ];
  return lines.flatMap(([label, text]) => (text ? [[label, printableText(text)]] : []));
}

/** The verdict in one sentence, then a disproof and open questions. */
function verdictLines(verdict: SessionVerdict): HeadLine[] {
  const { sentence, disproof, questions } = readVerdict(verdict);
  return [
    ['Verdict', sentence],
    ['Disproof', disproof],
    ...questions.map((one): HeadLine => ['Not seen', one]),
  ];
}
