// The messages before the question to a child agent: its system prompt, and the history of the chat if there is one.

import { questionPrompt } from '../../../prompt/chat.ts';
import { directPrompt, withUserContext } from '../../../prompt/direct.ts';
import { systemPrompt } from '../../../prompt/investigation.ts';
import { userContext } from '../../../prompt/userContext.ts';
import type { PlannedAgent } from '../../../schema/agent.ts';
import type { MessageDraft } from '../../../schema/message.ts';
import { textMessage } from '../../../schema/textMessage.ts';
import { fitExchanges } from '../../views/chat/loadHistory.ts';
import type { ChildPlan } from './planChildren.ts';

/** The system prompt, then the conversation of a chat as far as it fits, oldest first, with the question in progress. */
export function chatMessages(
  agent: PlannedAgent,
  { chat, dataNonce: nonce }: Pick<ChildPlan, 'chat' | 'dataNonce'>,
  now: Date,
): MessageDraft[] {
  if (chat === undefined) return [textMessage('system', systemPrompt(agent))];
  const user = userContext(now, chat.userId);
  const system =
    chat.isDirect && agent.isSchema === true
      ? directPrompt(agent, { userContext: user, nonce })
      : systemPrompt({ ...agent, instructions: withUserContext(agent.instructions, user) });
  return [
    textMessage('system', system),
    ...fitExchanges(chat.exchanges, agent).flatMap(({ question, answer }) => [
      textMessage('user', questionPrompt(question)),
      textMessage('assistant', answer),
    ]),
    textMessage('user', questionPrompt(chat.question)),
  ];
}
