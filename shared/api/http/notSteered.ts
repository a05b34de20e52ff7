// The problem for a session that cannot be steered.

import type { NotSteered } from '../../kits/steering/steerSession.ts';
import { Problem } from './problem.ts';
import { unknownSession } from './schemas.ts';

/** The problem for a session that cannot be steered now. @param because `no agent would read it`. */
export function notSteered(sessionId: string, outcome: NotSteered, because: string): Problem {
  if (outcome.kind === 'unknown_session') return unknownSession(sessionId);
  if (outcome.kind === 'is_chat')
    return new Problem(
      'SESSION_STATE',
      `session ${sessionId} is a chat: ask a question, or cancel the current one`,
      { remedy: 'cancelSession' },
    );
  const states: Partial<Record<typeof outcome.status, string>> = {
    deferred: 'is deferred: nothing runs until it is started',
    cancelling: `is being cancelled: ${because}`,
  };
  const why = states[outcome.status] ?? `has ended (${outcome.status}): ${because}`;
  const isDeferred = outcome.status === 'deferred';
  return new Problem('SESSION_STATE', `session ${sessionId} ${why}`, {
    ...(isDeferred && { remedy: 'startSession' }),
  });
}
