import { describe, expect, it } from 'vitest';
import { parseReactAnswer } from '../controller/react/parseAnswer.ts';
import {
  FORMAT_REMINDER,
  reactConclusionInstructions,
  reactInstructions,
  unknownToolObservation,
} from './react.ts';

const tools = [
  {
    name: 'kubernetes.get_logs',
    description: 'Reads logs.',
    inputSchema: { type: 'object', properties: { pod: { type: 'string' } }, required: ['pod'] },
    readOnly: true,
  },
];
/** What stands between the fences of a text. */
const fenced = (text: string): string[] =>
  text
    .split('```\n')
    .filter((_, index) => index % 2 === 1)
    .map((block) => block.trim());

describe('the instructions', () => {
  it('show both formats and one worked example, all of which the parser reads', () => {
    const [call, answer, exampleCall, observation, exampleAnswer, ...more] = fenced(
      reactInstructions(tools),
    ).map((block) => ({ block, ...parseReactAnswer(block) }));
    expect([call, exampleCall].map((block) => block?.foundSections.actionInput)).toEqual([true, true]);
    expect(exampleCall).toMatchObject({ hasAction: true, isUnknownTool: false });
    expect([answer, exampleAnswer].map((block) => block?.isFinalAnswer)).toEqual([true, true]);
    expect(observation?.block).toMatch(/^Observation: /);
    expect(more).toEqual([]);
  });

  it('end with the tools and their typed parameters', () => {
    expect(reactInstructions(tools)).toMatch(
      /Your tools:\n\n### kubernetes.get_logs\n {4}Reads logs.\nParameters:\n- pod \(string, required\)$/,
    );
  });

  it('are the same text for the same tools', () => {
    expect(reactInstructions(structuredClone(tools))).toBe(reactInstructions(tools));
  });

  it.each([
    ['an agent without tools', reactInstructions([])],
    ['an agent that must conclude', reactConclusionInstructions()],
  ])('show %s the final answer only', (_, text) => {
    expect(fenced(text).map((block) => parseReactAnswer(block).isFinalAnswer)).toEqual([true]);
    expect(text).not.toContain('Action Input');
  });
});

it('the reminder shows both formats once', () => {
  expect(fenced(FORMAT_REMINDER).map((block) => parseReactAnswer(block).foundSections)).toEqual([
    { thought: true, action: true, actionInput: true, finalAnswer: false },
    { thought: true, action: false, actionInput: false, finalAnswer: true },
  ]);
});

describe('an unknown tool', () => {
  it('is answered by an observation with the tools there are', () => {
    expect(unknownToolObservation('Unknown tool "x".', tools)).toBe(
      'Observation: Unknown tool "x". Nothing was called. Your tools:\n- `kubernetes.get_logs`: Reads logs.',
    );
  });

  it('of an agent without tools is answered by the demand to conclude', () => {
    expect(unknownToolObservation('Unknown tool "x".', [])).toMatch(
      /^Observation: .*no tools.*"Final Answer:"/,
    );
  });
});
