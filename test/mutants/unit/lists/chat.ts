// Mutants of questions.

import type { UnitMutant } from '../unitMutant.ts';

const QUESTION_END = 'shared/core/stage/commitQuestionEnd.test.ts';
const QUESTION = 'shared/kits/questions/askQuestion.test.ts';
const HISTORY = 'shared/kits/views/chat/loadHistory.test.ts';

/** The mutants, by what is broken. */
export const CHAT_MUTANTS: Record<string, UnitMutant> = {
  'the end of an older question closes a newer one': {
    file: 'core/stage/commitQuestionEnd.ts',
    text: 'const isOpen = session.openStage?.stageId === stageId;',
    by: 'const isOpen = session.openStage !== null;',
    test: QUESTION_END,
  },
  'each question ends its chat again': {
    file: 'core/stage/commitQuestionEnd.ts',
    text: "session.kind === 'chat' && session.status === 'in_progress'",
    by: "session.kind === 'chat'",
    test: QUESTION_END,
  },
  'a question is answered after its session is deleted': {
    file: 'kits/questions/askQuestion.ts',
    text: 'Math.min(now.getTime() + longest, before.expireAt.getTime())',
    by: 'now.getTime() + longest',
    test: QUESTION,
  },
  'a question has the deadline of its investigation': {
    file: 'kits/questions/askQuestion.ts',
    text: 'Math.min(now.getTime() + longest, before.expireAt.getTime())',
    by: 'before.deadline.getTime()',
    test: QUESTION,
  },
  'a session has any number of questions': {
    file: 'kits/questions/askQuestion.ts',
    text: "if (questions >= MAX_QUESTIONS) return { kind: 'too_many' };",
    by: '',
    test: QUESTION,
  },
  'a session that runs is asked': {
    file: 'kits/questions/askQuestion.ts',
    text: "if (!isTerminal(status)) return { kind: 'not_ended', status };",
    by: '',
    test: QUESTION,
  },
  'a question about a session that ended while it was paused is paused': {
    file: 'kits/questions/askQuestion.ts',
    text: 'if (steering.paused === null) return [];',
    by: 'if (steering.guidance >= 0) return [];',
    test: QUESTION,
  },
  'a question fails because its message was not published': {
    file: 'kits/questions/askQuestion.ts',
    text: `      return false;
`,
    by: `      throw error;
`,
    test: QUESTION,
  },
  'earlier questions are repeated in the wrong order': {
    file: 'kits/views/chat/loadHistory.ts',
    text: 'exchanges: found.flat(),',
    by: 'exchanges: found.flat().reverse(),',
    test: HISTORY,
  },
  'questions without an answer are repeated': {
    file: 'kits/views/chat/loadHistory.ts',
    text: 'if (question.value === undefined || !source?.finalAnalysis) return [];',
    by: 'if (question.value === undefined || source?.finalAnalysis === undefined) return [];',
    test: HISTORY,
  },
  'earlier questions may have any size': {
    file: 'kits/views/chat/loadHistory.ts',
    text: 'return bytes > maxBytes;',
    by: 'return false;',
    test: HISTORY,
  },
  'long answers are shortened although there is room': {
    file: 'kits/views/chat/loadHistory.ts',
    text: '!canLookUp || excess <= 0',
    by: '!canLookUp',
    test: HISTORY,
  },
  'long answers are shortened for agents that cannot look them up': {
    file: 'kits/views/chat/loadHistory.ts',
    text: '!canLookUp || excess <= 0',
    by: 'excess <= 0',
    test: HISTORY,
  },
  'a question fails with the store of the earlier ones': {
    file: 'kits/views/chat/loadHistory.ts',
    text: 'if (!(error instanceof InquestError)) throw error;',
    by: 'throw error;',
    test: HISTORY,
  },
  'all earlier questions are read': {
    file: 'kits/views/chat/loadHistory.ts',
    text: 'Math.min(questions, MAX_EXCHANGES)',
    by: 'questions',
    test: HISTORY,
  },
};
