// The next step of an analysis: exact, or none.

import { describe, expect, it } from 'vitest';
import { splitSummary } from './commands.ts';
import { splitAnalysisParts } from './leadInHeadings.ts';
import { parseMarkdown } from './parse.ts';

const split = (summary: string, analysis = '') =>
  splitSummary(summary, splitAnalysisParts(parseMarkdown(analysis)).parts);
const UNDO = 'kubectl -n shop rollout undo deployment/checkout --to-revision=7';

describe('the next step', () => {
  it.each([
    [`Pods restart.\nDo now: ${UNDO}\nHigh confidence.`, 'Do now', 'Pods restart.\nHigh confidence.'],
    [`Pods restart.\nRoll back: ${UNDO}.`, 'Roll back', 'Pods restart.'],
    [`Pods restart.\n**Do now:** \`${UNDO}\``, 'Do now', 'Pods restart.'],
    [`1. Mitigate: ${UNDO}`, 'Mitigate', ''],
    [`Pods restart.\n  Do now: ${UNDO}  \n`, 'Do now', 'Pods restart.'],
    [UNDO, 'Do now', ''],
  ])('is the line of a summary that is a command: %j', (summary, label, rest) => {
    expect(split(summary)).toEqual({ step: { label, command: UNDO }, rest });
  });

  it.each([
    `Do now: ${UNDO} and then check the logs`,
    `Do now: ${UNDO}, because the cache grows`,
    'Do now: ask the payment provider',
    'Impact: make it visible',
  ])('is not taken from a sentence: %j', (summary) => {
    expect(split(summary)).toEqual({ step: undefined, rest: summary });
  });

  it('is the command that the analysis has as code, also of an unknown program', () => {
    const analysis = '**What to do now**\n\n1. Restart: `shopctl restart checkout`. Then wait.';
    expect(split('Broken.\nDo now: shopctl restart checkout', analysis)).toEqual({
      step: { label: 'Do now', command: 'shopctl restart checkout' },
      rest: 'Broken.',
    });
  });

  it('is the first command of the next steps, where the summary has none', () => {
    const analysis = `**Evidence**\n\n- \`kubectl get pods -n shop\` shows it.\n\n**What to do now**\n\n1. Tell the team.\n2. Roll back: \`${UNDO}\`. Stops it.`;
    expect(split('Broken.', analysis).step).toEqual({ label: 'Roll back', command: UNDO });
  });

  it.each([
    [`Roll back: \`${UNDO}\``, 'Roll back', UNDO],
    [`${'x'.repeat(40)}: \`${UNDO}\``, 'x'.repeat(40), UNDO],
    [`${'x'.repeat(41)}: \`${UNDO}\``, 'Do now', UNDO],
    [`Go: \`${UNDO}\``, 'Go', UNDO],
    [`x: \`${UNDO}\``, 'Do now', UNDO],
    [`Run \`${UNDO}\``, 'Do now', UNDO],
    [`See \`checkout\`, then \`${UNDO}\``, 'Do now', UNDO],
    [`\`\`\`\n${UNDO}\n\`\`\``, 'Do now', UNDO],
    [`\`\`\`\n${UNDO}\nkubectl get pods\n\`\`\``, undefined, undefined],
  ])('has the words before it as its label, where they are one: %j', (text, label, command) => {
    const step = split('Broken.', `**What to do now**\n\n${text}`).step;
    expect([step?.label, step?.command]).toEqual([label, command]);
  });

  it('is none where only the evidence has commands', () => {
    expect(split('Broken.', '**Evidence**\n\n- `kubectl get pods -n shop` shows it.').step).toBeUndefined();
  });
});
