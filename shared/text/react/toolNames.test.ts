import { describe, expect, it } from 'vitest';
import { parseReactAnswer } from './parseAnswer.ts';
import type { FindTool } from './toolNames.ts';

/** Two tools: one that reads, one that changes something. */
const findTool: FindTool = (name) => {
  if (name === 'k8s.get_pods') return { readOnly: true };
  return name === 'k8s.delete_pod' ? { readOnly: false } : undefined;
};
const read = (text: string) => parseReactAnswer(text, findTool);
const actionOf = (value: string): string => read(`Thought: x\nAction: ${value}\nAction Input: {}`).action;

describe('rule 12: the name of a tool', () => {
  it.each([
    'k8s.get_pods',
    '[k8s.get_pods]',
    '(k8s.get_pods)',
    '<k8s.get_pods>',
    '`k8s.get_pods`',
    '**k8s.get_pods**',
    '[`k8s.get_pods`]',
    'k8s.get_pods (to see the pods)',
    'k8s.get_pods [read-only]',
    '`k8s.get_pods` (to see the pods)',
    'k8s.get_pods()',
    'k8s.get_pods({"n": 1})',
    'k8s.get_pods(n=1).',
    'functions.k8s.get_pods',
    '`functions.k8s.get_pods`',
    'functions.k8s.get_pods()',
    '\n[k8s.get_pods]',
  ])('is read in the form %j', (value) => {
    expect(actionOf(value)).toBe('k8s.get_pods');
    expect(parseReactAnswer(`Action: ${value}\nAction Input: {}`).action).toBe('k8s.get_pods');
  });

  it.each([
    'I use k8s.get_pods',
    'k8s.get_pods to see the pods',
    'k8s.get_pods, then k8s.delete_pod',
    'not k8s.get_pods (yet)',
    'tools.k8s.get_pods',
    '[k8s.get_pods] and more',
    'k8s.get_pods k8s.delete_pod',
  ])('in a sentence is no name of a tool: %j', (value) => {
    expect(findTool(actionOf(value))).toBeUndefined();
  });

  it('that is not a tool stays as it was written', () => {
    expect(actionOf('k8s.nosuch (to see)')).toBe('k8s.nosuch (to see)');
    expect(actionOf('functions.k8s.nosuch')).toBe('functions.k8s.nosuch');
  });

  it('that starts with "functions." can be a tool itself', () => {
    const text = 'Action: functions.k8s.get_pods\nAction Input: {}';
    expect(parseReactAnswer(text, () => ({ readOnly: true })).action).toBe('functions.k8s.get_pods');
  });
});

describe('rule 12: a final answer without a colon', () => {
  it.each([
    '**Final Answer**',
    '## Final Answer',
    '### **Final Answer**',
    '_Final Answer_',
    '  # Final Answer  ',
  ])('is read as %j on a line of its own', (header) => {
    expect(read(`Thought: x\n${header}\n\nMemory.`)).toMatchObject({ thought: 'x', finalAnswer: 'Memory.' });
  });

  it.each([
    'Final Answer',
    '**Final Answer** Memory.',
    '## Final Answers',
    'The **Final Answer**',
    '**final answer**',
  ])('is not read as %j', (line) => {
    expect(read(`Thought: x\n${line}\nMemory.`).isMalformed).toBe(true);
  });
});

describe('rule 7: a recovered tool', () => {
  const text = (name: string) => `Thought: I look.\nAction\n${name}\nAction Input: {}`;

  it('is one that only reads', () => {
    expect(read(text('k8s.get_pods'))).toMatchObject({ action: 'k8s.get_pods', thought: 'I look.' });
    expect(read(text('k8s.delete_pod'))).toMatchObject({ isMalformed: true, action: '' });
    expect(read(text('k8s.nosuch'))).toMatchObject({ isMalformed: true, action: '' });
  });

  it('stands outside fences', () => {
    expect(read(text('```\nk8s.get_pods\n```'))).toMatchObject({ isMalformed: true });
    expect(read('Thought: ```\nAction\nk8s.get_pods\n```\nAction Input: {}')).toMatchObject({
      isMalformed: true,
    });
    expect(read('Thought: ```\nlog\n```\nMy Action\nk8s.get_pods\nAction Input: {}')).toMatchObject({
      action: 'k8s.get_pods',
    });
  });
});
