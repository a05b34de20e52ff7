// The problem for a question that a session or a chat refuses.

import { MAX_QUESTIONS, type QuestionRefusal } from '../../kits/questions/askQuestion.ts';
import { Problem } from './problem.ts';
import { unknownSession } from './schemas.ts';

/** The problem for a refused question. @param now the time for `Retry-After` of a used-up budget. */
export function questionProblem(sessionId: string, outcome: QuestionRefusal, now: Date): Problem {
  switch (outcome.kind) {
    case 'unknown_session':
      return unknownSession(sessionId);
    case 'busy':
      return new Problem(
        'SESSION_BUSY',
        `session ${sessionId} answers another question, until ${outcome.deadline.toISOString()} at the latest: ask again when it has, or cancel it`,
        { remedy: 'cancelSession' },
      );
    case 'not_ended':
      if (outcome.status === 'deferred')
        return new Problem(
          'SESSION_STATE',
          `session ${sessionId} is deferred: it takes no questions before it is started`,
          { remedy: 'startSession' },
        );
      return new Problem(
        'SESSION_STATE',
        `the investigation of session ${sessionId} runs (${outcome.status}): ask when it has ended, or give its agents guidance`,
        { remedy: 'tellSession' },
      );
    case 'taken':
      return new Problem(
        'SESSION_BUSY',
        'another question opened a chat with this X-Session-Id at the same moment; ask again when it is answered',
      );
    case 'no_chat':
      return new Problem(
        'SESSION_STATE',
        `chain ${outcome.chain} answers no questions: remove \`chat: off\` from it in chains.yaml; a session keeps the chain that it was opened with`,
      );
    case 'too_many':
      return new Problem(
        'SESSION_STATE',
        `session ${sessionId} has ${MAX_QUESTIONS} questions, the maximum; open a new chat`,
      );
    case 'used_up':
      return new Problem(
        'SESSION_STATE',
        `the tokens of session ${sessionId} are used up (${outcome.tokens}): open a new chat, or raise sessionTokens of its chain in chains.yaml, or in system.yaml`,
      );
    case 'budget': {
      const { text, until, raise } = outcome;
      const detail = `${text}: ask again from ${until.toISOString()} on, or raise ${raise}`;
      const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000));
      return new Problem('BUDGET_REACHED', detail, { retryAfter: seconds });
    }
  }
}
