// An evaluation's report in a browser: light, dark, phone, paper, no scripts or requests.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reportHtml } from '../../shared/cases/reportHtml.ts';
import { type Score, summarizeScores } from '../../shared/cases/score.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { listViolations } from './support/axe.ts';
import { describeInBrowser, open, PHONE } from './support/chromium.ts';

const HOSTILE = '<img src=https://elsewhere.test/x onerror=alert(1)> </pre><script>alert(1)</script>';
const score = (model: string, right: boolean): Score => ({
  model,
  case: 'memory',
  arm: 'base',
  repeat: 1,
  verdict: 'likely',
  right,
  grounded: right,
  coverage: 1,
  causes: [{ component: 'k8s:eu/shop/Deployment/checkout', mechanism: 'memory' }],
  precision: 1,
  falseConfirmed: false,
  abstained: false,
  calls: 1,
  unrecorded: 1,
  tokens: 10,
  usd: 0.5,
  seconds: 1,
  evidence: [{ quote: HOSTILE, side: 'for', state: 'held' }],
  made: [{ call: `kubernetes.logs {"name":"${'checkout'.repeat(40)}"}`, isRecorded: false }],
  gold: [{ line: 'the line that proves it', isHeld: false }],
  analysis: HOSTILE,
});

function writeReport(): string {
  const scores = [score('one', true), score('other', false)];
  const file = join(temporaryFolder(), 'report.html');
  writeFileSync(file, reportHtml({ version: 1, ...summarizeScores(scores), scores, usd: 1 }));
  return file;
}

describeInBrowser('the report of an evaluation', () => {
  it.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' as const }],
    ['dark on a phone', { ...PHONE, colorScheme: 'dark' as const }],
  ])('shows calls and evidence of a run, and asks for nothing: %s', async (_, options) => {
    const { page, faults } = await open({ url: 'file://' }, writeReport(), options);
    await page.locator('summary').first().click();
    expect(await page.locator('details').first().innerText()).toMatch(
      /kubernetes\.logs [\s\S]*\(not recorded\)[\s\S]*<img src=[\s\S]*not quoted: the line that proves it/,
    );
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    expect(await listViolations(page, ['color-contrast'])).toEqual([]);
    expect(faults.filter((fault) => !fault.startsWith('asked for file:'))).toEqual([]);
  });

  it('is printed in full on white, also where the screen is dark', async () => {
    const { page } = await open({ url: 'file://' }, writeReport(), { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const shown = await page.evaluate(() => ({
      ground: getComputedStyle(document.body).backgroundColor,
      closed: document.querySelectorAll('details[open]').length,
      height: document.querySelector('details pre')?.getBoundingClientRect().height ?? 0,
    }));
    expect(shown).toEqual({ ground: 'rgb(255, 255, 255)', closed: 0, height: expect.any(Number) });
    expect(shown.height).toBeGreaterThan(5);
  });
});
