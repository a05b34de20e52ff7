import { expect, it } from 'vitest';
import { type Report, reportHtml } from './reportHtml.ts';
import { type Score, summarizeScores } from './score.ts';

const HOSTILE = '"\'><img src=x>';

it('escapes every text, whichever field has it', () => {
  const score = {
    model: HOSTILE,
    case: HOSTILE,
    arm: HOSTILE,
    repeat: 1,
    verdict: HOSTILE,
    right: true,
    grounded: true,
    coverage: 1,
    causes: [{ component: HOSTILE, mechanism: HOSTILE }],
    precision: 1,
    falseConfirmed: false,
    abstained: false,
    calls: 1,
    unrecorded: 1,
    tokens: 10,
    usd: 0.5,
    seconds: 1,
    evidence: [{ quote: HOSTILE, side: HOSTILE, state: HOSTILE }],
    made: [{ call: HOSTILE, isRecorded: false }],
    gold: [{ line: HOSTILE, isHeld: false }],
    analysis: HOSTILE,
  } as unknown as Score;
  const scores = [score, { ...score, model: `other ${HOSTILE}` }];
  const report: Report = { version: 1, ...summarizeScores(scores), scores, usd: 1, stopped: HOSTILE };
  const html = reportHtml(report);
  expect(html).not.toContain('<img');
  // Head, both rows of models, dots, differences and all fields of both runs.
  expect(html.split('&lt;img').length).toBeGreaterThan(20);
});
