import { describe, expect, it } from 'vitest';
import { probeArguments, readProbe } from './probe.ts';

const settings = {
  tool: 'get_restart',
  arguments: { key: '$' + '{idempotencyKey}', name: '$' + '{arguments.name}', what: 'restart' },
  happened: 'state: done',
  didNotHappen: 'state: none',
};
const call = { callId: 'c', name: 'k8s.restart', arguments: '{"name":["a"]}' };
const options = { idempotencyKey: 's/e/1/0' };

describe('the arguments of a probe', () => {
  it('are those of the call, its key, and fixed ones', () => {
    expect(probeArguments(settings, call, options)).toEqual({ key: 's/e/1/0', name: ['a'], what: 'restart' });
  });

  it('are none when the call lacks one of them', () => {
    expect(probeArguments(settings, { ...call, arguments: '{"toString":1}' }, options)).toBeUndefined();
  });
});

describe('the answer of a probe', () => {
  const read = (content: string, isError = false) =>
    readProbe(settings, { content, isError, timedOut: false });

  it('is one of the two texts', () => {
    expect(read('state: done at 10:20').answer).toBe('happened');
    expect(read('state: none').answer).toBe('did_not_happen');
  });

  it.each([
    ['neither', 'state: pending', false],
    ['both', 'state: done, state: none', false],
    ['an error', 'state: done', true],
  ])('is unclear with %s', (_, content, isError) => {
    expect(read(content, isError)).toEqual({ answer: 'unclear', content });
  });
});
