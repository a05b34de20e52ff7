// Why a session cannot be told something, paused or resumed, in one sentence.

import type { NotSteered } from '../shared/runtime/features/guidance/steerSession.ts';

/** @param because what it would lead to: `no agent would read it`. */
export function steeringRefusal(
  sessionId: string,
  outcome: NotSteered,
  where: string,
  because: string,
): string {
  if (outcome.kind === 'unknown_session') return `there is no session ${sessionId} in ${where}`;
  if (outcome.kind === 'is_chat')
    return `session ${sessionId} is a chat: ask it another question, or \`inquest cancel ${sessionId}\` the one it answers`;
  switch (outcome.status) {
    case 'deferred':
      return `session ${sessionId} is deferred: nothing runs. \`inquest start-deferred ${sessionId}\` starts it`;
    case 'cancelling':
      return `session ${sessionId} is being cancelled: ${because}`;
    default:
      return `session ${sessionId} has ended (${outcome.status}): ${because}`;
  }
}
