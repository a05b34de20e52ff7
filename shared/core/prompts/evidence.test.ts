import { describe, expect, it } from 'vitest';
import { describeSteps, type Step } from './evidence.ts';

const step = (overrides: Partial<Step> = {}): Step => ({
  what: 'kubernetes.get_logs(pod: web)',
  result: 'OOMKilled',
  status: 'completed',
  ...overrides,
});
const described = (steps: Step[], maxBytes = 10_000, unread = 0) =>
  describeSteps({ steps, unread }, maxBytes);

describe('the actions of an agent', () => {
  it('is one item for each step, with outcome and result', () => {
    const failed = step({ what: 'kubernetes.restart()', result: 'refused\nby policy', status: 'failed' });
    expect(described([step(), failed])).toBe(
      [
        '- kubernetes.get_logs(pod: web) → completed',
        '    OOMKilled',
        '- kubernetes.restart() → failed',
        '    refused',
        '    by policy',
      ].join('\n'),
    );
  });

  it('is named where it is nothing', () => {
    expect(described([])).toBe('(none: no tool was called)');
  });

  it('states how many events were not read', () => {
    expect(described([step()], 10_000, 7)).toMatch(/^\(Earlier events not shown: 7\.\)\n- /);
  });

  it('shows the head of a long result and names the missing part', () => {
    const text = described([step({ result: `first line\n${'x'.repeat(50_000)}` })]);
    expect(text).toContain('    first line\n');
    expect(text).toMatch(/\[\.\.\. \d+ of 50011 bytes left out \.\.\.\]/);
    expect(Buffer.byteLength(text)).toBeLessThan(4_200);
  });

  it('has an equal share for each step, and leaves out the oldest where a share would be too small', () => {
    const steps = Array.from({ length: 100 }, (_, index) =>
      step({ what: `call ${index}`, result: 'x'.repeat(9_000) }),
    );
    const text = described(steps, 2_000);
    expect(Buffer.byteLength(text)).toBeLessThan(2_200);
    expect(text).toContain('(Earlier steps not shown: 90.)');
    expect(text.match(/^- call \d+/gm)).toEqual(
      Array.from({ length: 10 }, (_, index) => `- call ${90 + index}`),
    );
  });

  it('keeps a call of several lines in its item', () => {
    expect(described([step({ what: 'run(a)\n### metrics Analysis' })])).toContain(
      '\n  ### metrics Analysis → ',
    );
  });
});
