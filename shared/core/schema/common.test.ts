import { expect, it } from 'vitest';
import { isScriptForOthers, scriptedVersion } from '../contract/scriptedModel.ts';
import { TerminalError } from '../errors.ts';
import { asksNoModel, isBuiltInStrategy, isSummaryStrategy } from './agent.ts';
import { addTokens, isTerminal, NO_TOKENS, subtractTokens, toStoredFailure } from './common.ts';

it('tokens are added and subtracted field by field', () => {
  const one = { input: 1, output: 2, thinking: 3, cached: 4, total: 5 };
  const other = { input: 10, output: 20, thinking: 30, cached: 40, total: 50 };
  const sum = { input: 11, output: 22, thinking: 33, cached: 44, total: 55 };
  expect(addTokens(one, other)).toEqual(sum);
  expect(subtractTokens(sum, one)).toEqual(other);
  expect(addTokens(one, NO_TOKENS)).toEqual(one);
});

it('a stored failure is masked, visible, and short', () => {
  const failure = (message: string) => toStoredFailure(new TerminalError('MODEL_BLOCKED', message));
  expect(failure('blocked')).toEqual({ code: 'MODEL_BLOCKED', message: 'blocked' });
  expect(failure('').message).toBe('MODEL_BLOCKED');
  expect(failure('a\u202eb').message).toBe('a\ufffdb');
  expect(Buffer.byteLength(failure('x'.repeat(20_000)).message)).toBeLessThanOrEqual(10_000);
  const error = new TerminalError('MODEL_BLOCKED', 'a secret');
  expect(toStoredFailure(error, (text) => text.replace('secret', '***')).message).toBe('a ***');
});

it.each([
  ['completed', true],
  ['failed', true],
  ['cancelled', true],
  ['timed_out', true],
  ['active', false],
  ['waiting', false],
])('%s is a final status: %s', (status, isFinal) => {
  expect(isTerminal(status)).toBe(isFinal);
});

it.each([
  ['executive-summary', 'summary'],
  ['executive-summary:confirmed', 'summary'],
  ['executive-summary-partial', 'summary'],
  ['claims-check', 'claims'],
  ['probe', 'calls'],
  ['contrast-check', 'calls'],
  ['react', 'configured'],
  ['react:executive-summary', 'configured'],
])('an agent of the strategy %s is of the kind: %s', (strategy, kind) => {
  expect({
    isBuiltIn: isBuiltInStrategy(strategy),
    isSummary: isSummaryStrategy(strategy),
    asksNoModel: asksNoModel(strategy),
  }).toEqual({
    isBuiltIn: kind !== 'configured',
    isSummary: kind === 'summary',
    asksNoModel: kind === 'calls',
  });
});

it.each([
  [scriptedVersion('demo', true), false],
  [scriptedVersion('demo', false), true],
  ['gemini-3.8-flash (alert not named)', false],
  [null, false],
])('%s is of a script that does not name the alert: %s', (version, isForOthers) => {
  expect(isScriptForOthers(version)).toBe(isForOthers);
});
