import { describe, expect, it } from 'vitest';
import { sampleAgent, sampleExecution } from '../../../test/support/samples.ts';
import { ERROR_CODES, type ErrorCode, RetryableError, TerminalError } from '../../core/errors.ts';
import { agentInUse } from '../../core/kernel/state/agentInUse.ts';
import { fallbackNotice, movesOn, nextModel, withNextModel } from './fallback.ts';

const google = (model: string) => ({ provider: 'google', model, includeThoughts: true });
const OWN = google('gemini-3.8-flash');
const PRO = google('gemini-3.8-pro');
const GPT = { provider: 'openai', model: 'gpt-5', includeThoughts: true };
const agent = sampleAgent({ model: OWN, fallback: [PRO, GPT] });
const quota = new TerminalError('MODEL_QUOTA', 'no quota is left');

/** The codes whose failures move an execution on, of either family. */
const movingCodes = (consecutiveTimeouts: number) =>
  ERROR_CODES.filter((code: ErrorCode) => {
    const moves = [new TerminalError(code, 'x'), new RetryableError(code, 'x')].map((error) =>
      movesOn(error, consecutiveTimeouts),
    );
    return moves.includes(true);
  });

describe('the next model takes over after', () => {
  const failures = [
    'CONFIG_INVALID',
    'MODEL_BAD_REQUEST',
    'MODEL_BLOCKED',
    'MODEL_CREDENTIALS',
    'MODEL_QUOTA',
    'MODEL_STREAM_CUT',
    'MODEL_UNAVAILABLE',
    'MODEL_UNKNOWN',
  ];

  it('quota, outage and refusal, and after nothing else', () => {
    expect(movingCodes(0)).toEqual(failures);
  });

  it('the second time-out in a row, which would be the end', () => {
    const added = movingCodes(1).filter((code) => !failures.includes(code));
    expect(added).toEqual(['ITERATION_TIMEOUT', 'MODEL_TIMEOUT']);
  });
});

describe('the models of an execution', () => {
  it('are asked in their order, the own one first', () => {
    const asked = [0, 1, 2].map((modelIndex) => agentInUse(agent, { modelIndex })?.model);
    expect(asked).toEqual([OWN, PRO, GPT]);
    expect(agentInUse(agent, { modelIndex: 3 })).toBeUndefined();
  });

  it('follow each other until none is left', () => {
    const next = [0, 1, 2].map((modelIndex) => nextModel(quota, agent, sampleExecution({ modelIndex })));
    expect(next).toEqual([PRO, GPT, undefined]);
  });

  it('are not changed by a bug of ours', () => {
    expect(nextModel(new Error('MODEL_QUOTA'), agent, sampleExecution())).toBeUndefined();
  });
});

describe('an execution whose next model takes over', () => {
  const failed = sampleExecution({
    lastInteractionFailed: true,
    lastErrorMessage: 'x',
    lastMessage: 7,
    signaturesRefusedUpTo: 2,
  });

  it('starts without failures, and keeps the known signatures', () => {
    expect(withNextModel(failed)).toMatchObject({
      modelIndex: 1,
      lastInteractionFailed: false,
      lastErrorMessage: null,
      signaturesRefusedUpTo: 2,
    });
  });
});

it('the timeline names the model that takes over, the one before, and the reason', () => {
  expect(fallbackNotice(OWN, GPT, { code: 'MODEL_QUOTA', message: 'no quota is left' })).toEqual({
    eventType: 'notice',
    content:
      'google/gemini-3.8-flash cannot go on (MODEL_QUOTA): no quota is left. The agent goes on with openai/gpt-5.',
    metadata: {
      code: 'model_fallback',
      subject: 'openai/gpt-5',
      from: 'google/gemini-3.8-flash',
      reason: 'MODEL_QUOTA',
    },
  });
});
