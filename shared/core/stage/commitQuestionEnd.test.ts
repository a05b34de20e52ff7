import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleSession } from '../../../test/support/samples.ts';
import { closeQuestion } from './commitQuestionEnd.ts';

const openStage = { stageId: '05-chat', deadline: SAMPLE_TIME, cancelling: false };
const failure = { code: 'MODEL_BLOCKED' as const, message: 'It was blocked.' };
const outcome = { status: 'failed', failure } as const;

describe('the end of a question', () => {
  it('closes this question and no newer one', () => {
    const session = sampleSession({ status: 'completed', openStage });
    expect(closeQuestion(session, '05-chat', outcome, SAMPLE_TIME)).toEqual({ ...session, openStage: null });
    expect(closeQuestion(session, '04-chat', outcome, SAMPLE_TIME)).toEqual(session);
  });

  it('ends the chat that it opened, as it ended, and no other session', () => {
    const chat = sampleSession({ kind: 'chat', openStage });
    const ended = { ...chat, openStage: null, ...outcome, endedAt: SAMPLE_TIME };
    expect(closeQuestion(chat, '05-chat', outcome, SAMPLE_TIME)).toEqual(ended);
    const goesOn = { ...chat, status: 'completed' as const };
    expect(closeQuestion(goesOn, '05-chat', outcome, SAMPLE_TIME)).toEqual({ ...goesOn, openStage: null });
  });
});
