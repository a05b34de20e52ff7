import { describe, expect, it } from 'vitest';
import { SAMPLE_NONCE, sampleAgent, sampleExecution } from '../../../test/support/samples.ts';
import { answer } from '../contract/llm.fixture.ts';
import { PARTIAL_SUMMARY_STRATEGY, SUMMARY_STRATEGY } from '../schema/agent.ts';
import { STRATEGIES } from './abilities.ts';
import { executiveSummary, summaryLines } from './executiveSummary.ts';
import { controllerFor } from './registry.ts';

const input = {
  execution: sampleExecution(),
  agent: sampleAgent({ strategy: SUMMARY_STRATEGY, nativeTools: ['google_search'] }),
  tools: [],
  shown: [],
  dataNonce: SAMPLE_NONCE,
  mode: 'investigate' as const,
};
const interpret = (text: string, partial = false) =>
  executiveSummary({ partial }).interpret(answer({ text }), input);

describe('an executive summary', () => {
  it('is asked for once, without any tools, and no agent can be configured so', () => {
    const controller = controllerFor(SUMMARY_STRATEGY);
    expect(controller.loops).toBe(false);
    expect(controller.request([], input)).toMatchObject({ tools: [], nativeTools: [] });
    expect(STRATEGIES).not.toContain(SUMMARY_STRATEGY);
    expect(STRATEGIES).not.toContain(PARTIAL_SUMMARY_STRATEGY);
  });

  it('is its event, and the conclusion of the execution', () => {
    const { events, next } = interpret('a\nb');
    expect(events).toEqual([{ eventType: 'executive_summary', content: 'a\nb', metadata: {} }]);
    expect(next).toEqual({ kind: 'conclude', analysis: 'a\nb' });
  });

  it('states once that the investigation ended early', () => {
    expect(interpret('a', true).next).toMatchObject({ analysis: 'Incomplete: a' });
    expect(interpret('incomplete: a', true).next).toMatchObject({ analysis: 'incomplete: a' });
  });

  it.each(['', ' \n\u2028\n', '```', `${'x'.repeat(300)}`])('is none for %j', (text) => {
    expect(interpret(text).next).toMatchObject({ kind: 'give_feedback', code: 'MODEL_EMPTY_ANSWER' });
  });
});

describe('the lines of an answer', () => {
  it.each([
    ['the first four that say something', 'a\n\n\r\nb\u2028c\nd\ne', 'a\nb\nc\nd'],
    ['without marks of markdown', '# a\n- **b** c\n```text\n* d', 'a\nb c\nd'],
    ['cut between words', `${'word '.repeat(60)}`, `${'word '.repeat(47)}word …`],
    ['never within one', `short ${'y'.repeat(400)}`, 'short …'],
  ])('are %s', (_, text, lines) => {
    expect(summaryLines(text)).toBe(lines);
  });
});
