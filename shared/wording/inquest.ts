// The texts of Inquest's investigations, and of the questions about them.

import { correlationPart } from '../alerts/schema/correlation.ts';
import { reinvestigationPart } from '../alerts/schema/reinvestigation.ts';
import { checkPart } from '../alerts/schema/sessionCheck.ts';
import { runbookPart } from '../alerts/schema/usedRunbook.ts';
import { changesPart } from '../changes/change.ts';
import type { Wording } from '../core/prompts/wording.ts';
import type { Agent } from '../core/schema/agent.ts';
import { readPart } from '../core/schema/parts.ts';
import type { Session } from '../core/schema/session.ts';
import { textMessage } from '../core/schema/textMessage.ts';
import { withChanges } from '../prompt/changes.ts';
import { seenPart } from '../search/seenSession.ts';
import { markLines } from '../text/untrustedFrame.ts';
import { ASKING, askedPrompt } from './askedAgent.ts';
import { answerEvidencePrompt, chatContextPrompt, chatSystemPrompt, leftOutNote } from './chat.ts';
import { checkPrompt } from './check.ts';
import { directPrompt, withUserContext } from './direct.ts';
import { summaryPrompt, summarySystemPrompt } from './executiveSummary.ts';
import { forcedConclusionPrompt, investigationPrompt, systemPrompt } from './investigation.ts';
import { synthesisPrompt, synthesisSystemPrompt } from './synthesis.ts';
import { userContext } from './userContext.ts';

/** The texts of an investigation of an alert. */
export const INQUEST_WORDING: Wording = {
  investigate(agent, { session, findings, now }) {
    const { dataNonce: nonce } = session;
    const known = {
      runbook: readPart(runbookPart, session) ?? null,
      alsoFiring: readPart(correlationPart, session)?.alsoFiring ?? [],
      seenBefore: readPart(seenPart, session)?.seenBefore ?? [],
      reinvestigates: readPart(reinvestigationPart, session) ?? null,
    };
    const user = investigationPrompt({ alert: shownAlert(session), findings, nonce, now, ...known });
    return { system: systemPrompt(agent), user: withTask(user, session) };
  },
  combine(agent, { session, findings: results, earlier, now }) {
    const { dataNonce: nonce } = session;
    const user = synthesisPrompt({ alert: shownAlert(session), results, earlier, nonce, now });
    return { system: synthesisSystemPrompt(agent), user: withTask(user, session) };
  },
  summarize: ({ instructions }, { session, findings, endedEarly }) => ({
    system: summarySystemPrompt(instructions),
    user: summaryPrompt({ alert: shownAlert(session), findings, nonce: session.dataNonce, endedEarly }),
  }),
  answer(agent, { session, findings, question, now }) {
    const { input: alert, dataNonce: nonce } = session;
    const runbook = readPart(runbookPart, session) ?? null;
    const { exchanges, leftOut } = question.history;
    const user = userContext(now, question.userId);
    // A schema that is asked without an investigation gets no frame.
    const isDirect = session.kind === 'chat' && agent.isSchema === true;
    const about = isDirect
      ? [
          textMessage('system', directPrompt(agent, { userContext: user, nonce })),
          ...(leftOut > 0 ? [textMessage('user', leftOutNote(leftOut))] : []),
        ]
      : [
          textMessage('system', chatSystemPrompt(agent, withUserContext(agent.instructions, user))),
          textMessage('user', chatContextPrompt({ alert, findings, nonce, leftOut, runbook, now })),
        ];
    return [
      ...about,
      ...exchanges.flatMap((one) => [
        textMessage('user', markLines(one.question)),
        ...(one.evidence === undefined
          ? []
          : [textMessage('user', answerEvidencePrompt(one.evidence, nonce))]),
        textMessage('assistant', one.answer),
      ]),
      textMessage('user', markLines(question.text)),
    ];
  },
  assist: (agent, request) => ({ system: assistPrompt(agent, request), user: askedPrompt(request) }),
  asking: ASKING,
  conclude: forcedConclusionPrompt,
};

const shownAlert = (session: Session): string => withChanges(session.input, readPart(changesPart, session));

function assistPrompt(agent: Agent, { chat, nonce, now }: Parameters<Wording['assist']>[1]): string {
  if (chat === undefined) return systemPrompt(agent);
  const user = userContext(now, chat.userId);
  return chat.isDirect && agent.isSchema === true
    ? directPrompt(agent, { userContext: user, nonce })
    : systemPrompt({ ...agent, instructions: withUserContext(agent.instructions, user) });
}

function withTask(user: string, session: Session): string {
  const check = readPart(checkPart, session);
  return check === undefined ? user : `${user}\n\n${checkPrompt(check.question)}`;
}
