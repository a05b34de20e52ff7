import { describe, expect, it } from 'vitest';
import { modelText, type ToolRule } from './agent.ts';
import { limitLines } from './limitLines.ts';
import { toolRows } from './toolRows.ts';

const rule: ToolRule = {
  name: 'kubernetes',
  server: 'kubernetes',
  access: 'write',
  readOnly: ['get_*'],
  trustHints: false,
  approvals: [
    { tool: 'restart', approval: 'required' },
    { tool: 'note_*', approval: 'none' },
  ],
};
const single = { ...rule, name: 'kubernetes.restart', readOnly: [], approvals: rule.approvals.slice(0, 1) };
const shown = (of: ToolRule) =>
  toolRows([of]).map(({ tools, access, approval }) => [tools.join(' '), access, approval]);

describe('tools of an agent', () => {
  it('are one row for those that only read, and one for each that changes something', () => {
    expect(shown(rule)).toEqual([
      ['get_*', 'read', 'not required'],
      ['restart', 'write', 'required'],
      ['note_*', 'write', 'not required'],
    ]);
  });

  it('change nothing where access is read, whichever approvals are configured', () => {
    expect(shown({ ...rule, access: 'read' })).toEqual([['get_*', 'read', 'not required']]);
    expect(shown({ ...single, access: 'read' })).toEqual([['restart', null, 'not required']]);
    expect(toolRows([{ ...rule, access: 'read', readOnly: [] }])).toMatchObject([
      { tools: [], access: null, note: expect.stringContaining('none is offered') },
    ]);
  });

  it('that are named individually have the rule that counts for them', () => {
    expect(shown(single)).toEqual([['restart', 'write', 'required']]);
    expect(shown({ ...single, name: 'kubernetes.get_logs', readOnly: ['get_*'] })).toEqual([
      ['get_logs', 'read', 'not required'],
    ]);
    expect(toolRows([{ ...single, approvals: [], trustHints: true }])).toMatchObject([
      { access: 'read', note: 'if the server marks it as read-only' },
    ]);
  });

  it('of servers that mark them on their own are shown as such', () => {
    const hinted: ToolRule = { ...rule, access: 'read', readOnly: [], trustHints: true };
    expect(toolRows([hinted])).toMatchObject([
      { tools: [], access: 'read', note: expect.stringMatching(/^tools/) },
    ]);
    expect(toolRows([{ ...hinted, readOnly: ['a'] }])).toMatchObject([
      { tools: ['a'], note: expect.stringMatching(/^and tools/) },
    ]);
  });

  it('of servers that are not described, and those that Inquest brings, are shown', () => {
    const unsaid = { ...rule, access: null, readOnly: [], approvals: [] };
    expect(toolRows([unsaid])).toMatchObject([{ server: 'kubernetes', tools: [], approval: 'unknown' }]);
    expect(toolRows([{ ...unsaid, name: 'search', server: null }])).toMatchObject([
      { server: null, tools: ['search'], access: 'read' },
    ]);
    expect(toolRows([{ ...unsaid, name: 'brand_new', server: null }])).toMatchObject([
      { tools: ['brand_new'], access: null, note: '' },
    ]);
    expect(toolRows([{ ...unsaid, name: 'kubernetes.get_logs' }])).toMatchObject([{ tools: ['get_logs'] }]);
  });
});

describe('limits', () => {
  it('are given in words and units', () => {
    const limits = {
      maxIterations: 20,
      iterationTimeoutMs: 120_000,
      toolResultBytes: 32_000,
      afterFailure: 'conclude',
      dailyTokens: [
        { chain: null, limit: 5_000_000 },
        { chain: 'kubernetes', limit: 2_000_000 },
      ],
    };
    const lines = Object.fromEntries(limitLines(limits).map(({ name, text }) => [name, text]));
    expect(lines).toMatchObject({
      Iterations: '20 at most',
      'Iteration timeout': '2 min',
      'Stored per result': '32.0 kB',
      'When the last iteration fails': 'concludes with the results so far',
      'Tokens per day': 'all chains: 5,000,000 tokens; kubernetes: 2,000,000 tokens',
    });
  });

  it.each([
    ['afterFailure', 'fail', 'the run fails'],
    ['repeatedCalls', 'run', 'runs'],
    ['repeatedCalls', 'refuse', 'is refused'],
    ['sessionTokens', 1, '1 token'],
  ])('are given in words: %s %s', (name, value, text) => {
    expect(limitLines({ [name]: value })[0]?.text).toBe(text);
  });

  it('that are not known, or of another form, are shown as they are', () => {
    expect(limitLines({ newLimit: { a: 1 }, another: 'a', dailyTokens: 7 })).toEqual([
      { name: 'newLimit', text: '{"a":1}' },
      { name: 'another', text: 'a' },
      { name: 'Tokens per day', text: '7' },
    ]);
  });
});

it('a model is named with the settings that it has', () => {
  expect(modelText({ provider: 'google', model: 'gemini-3.8-flash' })).toBe('gemini-3.8-flash (google)');
  const settings = { thinkingLevel: 'high', temperature: 0, maxOutputTokens: 100 } as const;
  expect(modelText({ provider: 'openai', model: 'gpt-6', ...settings })).toBe(
    'gpt-6 (openai) · thinking high · temperature 0 · up to 100 output tokens',
  );
});
