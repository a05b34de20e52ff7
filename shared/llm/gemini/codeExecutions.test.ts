import { describe, expect, it } from 'vitest';
import { pairCodeExecutions } from './codeExecutions.ts';

const code = (text: string, id?: string) => ({ executableCode: { code: text, ...(id && { id }) } });
const result = (output: string, id?: string) => ({ codeExecutionResult: { output, ...(id && { id }) } });
const pairs = (...parts: object[]) =>
  pairCodeExecutions(parts as Record<string, unknown>[]).map((one) => [one.code, one.result]);

describe('pairCodeExecutions', () => {
  it('pairs in order, whatever stands between', () => {
    expect(pairs(code('a'), { text: '' }, result('1'), code('b'), { text: 'x' }, result('2'))).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  it('pairs by id, also out of order', () => {
    expect(pairs(code('a', '1'), code('b', '2'), result('B', '2'), result('A', '1'))).toEqual([
      ['a', 'A'],
      ['b', 'B'],
    ]);
  });

  it('leaves code unchanged that other code follows', () => {
    expect(pairs(code('a'), code('b'), result('1'))).toEqual([
      ['a', undefined],
      ['b', '1'],
    ]);
  });

  it('leaves a result without code and code without result unchanged', () => {
    expect(pairs(result('1'), code('a'))).toEqual([
      [undefined, '1'],
      ['a', undefined],
    ]);
  });

  it('does not pair different ids', () => {
    expect(pairs(code('a', '1'), result('B', '2'))).toEqual([
      ['a', undefined],
      [undefined, 'B'],
    ]);
  });

  it('takes code and result of one part as one, after code that waits', () => {
    expect(pairs(code('a'), { ...code('b'), ...result('2') })).toEqual([
      ['a', undefined],
      ['b', '2'],
    ]);
  });

  it('takes them as one whatever their ids', () => {
    expect(pairs(code('a', '1'), { ...code('b', '2'), ...result('B', '1') })).toEqual([
      ['a', undefined],
      ['b', 'B'],
    ]);
  });

  it('lets code that waits be paired by id after other code, but not in order', () => {
    expect(pairs(code('a', '1'), code('b'), result('A', '1'), result('B'))).toEqual([
      ['a', 'A'],
      ['b', 'B'],
    ]);
  });

  it('keeps outcome and language', () => {
    const parts = [
      { executableCode: { language: 'PYTHON', code: 'x' } },
      { codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'no' } },
    ];
    expect(pairCodeExecutions(parts)).toEqual([
      { code: 'x', language: 'PYTHON', result: 'no', outcome: 'OUTCOME_FAILED' },
    ]);
  });
});
