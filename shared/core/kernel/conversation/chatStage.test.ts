import { expect, it } from 'vitest';
import { sampleAgent, samplePlan, sampleSession } from '../../../../test/support/samples.ts';
import {
  answerIndex,
  chatExecutionId,
  chatStageIds,
  computeChatIndex,
  formatChatStageId,
  questionOfMessage,
} from './chatStage.ts';

const stages = [samplePlan(), samplePlan()];
const session = sampleSession({
  chain: { name: 'default', stages, chat: sampleAgent({ name: 'answers' }) },
  questions: 2,
});

it('the questions of a session follow its stages and its executive summary', () => {
  expect(computeChatIndex(session, 1)).toBe(4);
  expect(formatChatStageId(session, 2)).toBe('05-chat');
  expect(chatExecutionId(session, 2)).toBe('05-answers');
  expect(chatStageIds(session)).toEqual(['04-chat', '05-chat']);
  expect(chatStageIds({ ...session, questions: 0 })).toEqual([]);
});

it('questions and answers take turns', () => {
  const turns = [0, 1, 2, 3].map(questionOfMessage);
  expect(turns).toEqual([
    { number: 1, role: 'user' },
    { number: 1, role: 'assistant' },
    { number: 2, role: 'user' },
    { number: 2, role: 'assistant' },
  ]);
  expect([1, 2].map(answerIndex)).toEqual([1, 3]);
});
