// Promises of questions in chats: a thread has one question, a question one session, and the session its
// text.

import { askPart } from '../../../../shared/alerts/schema/sessionAsk.ts';
import { listNotified } from '../../../../shared/config/notified.ts';
import { readPart } from '../../../../shared/core/schema/parts.ts';
import { deriveAskId } from '../../../../shared/features/ask/ask.ts';
import { askType } from '../../../../shared/lists/documents.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';
import { DESTINATION, type SimulatedMentions } from './simulatedAsks.ts';

/** Checks the questions of a run. */
export async function checkAsks(
  { plan, record, reader }: World,
  violate: Violate,
  { mentions }: { mentions: SimulatedMentions },
): Promise<void> {
  if (!plan.mentions) return;
  const asks = (await reader.list({ collection: 'asks' }, askType)).map(({ value }) => value);
  const sessions = [...record.sessions.values()].filter((one) => readPart(askPart, one) !== undefined);
  if (asks.length !== mentions.threads.size || sessions.length !== asks.length)
    violate(
      'asks',
      `${mentions.threads.size} threads have ${asks.length} questions, ${sessions.length} sessions`,
    );
  for (const [thread, outcomes] of mentions.threads) {
    const ask = asks.find(({ askId }) => askId === deriveAskId(thread));
    const own = sessions.filter((one) => readPart(askPart, one)?.thread === thread);
    const [session] = own;
    if (ask === undefined || session === undefined || own.length > 1) {
      violate('asks', `${thread} has ${own.length} sessions`);
      continue;
    }
    if (ask.sessionId !== session.sessionId || ask.question !== '' || ask.body !== '')
      violate('asks', `${thread} is noted with session ${ask.sessionId}, and has ${session.sessionId}`);
    if (
      listNotified(session)
        .map(({ to }) => to)
        .join() !== DESTINATION
    )
      violate('asks', `${session.sessionId} answers elsewhere`);
    const opened = [...outcomes.values()].filter((outcome) => outcome === 'opened');
    if (opened.length > 1 || [...outcomes.values()].some((one) => one !== 'opened' && one !== 'session'))
      violate('asks', `the mentions of ${thread} ended as ${[...outcomes.values()]}`);
  }
}
