// A feature can be deleted: its folders and its lines in the lists go, and the rest still compiles.

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FEATURE_FOLDERS, FEATURES } from '../layers/tables.ts';
import { IS_LONG } from '../support/fullTests.ts';
import { copyRepository } from './copyRepository.ts';
import { removeFeature } from './removeFeature.ts';

/** Features whose routes others call: the pages and commands that do not compile without them. */
const CALLED: Record<string, readonly string[]> = {
  agents: ['web/src/parts/ChainChoice.tsx'],
  alerts: [
    'cli/alert/sendAlert.ts',
    'cli/features/alertFates/catchUp.ts',
    'shared/cases/runCase.ts',
    'web/src/api/exampleAlert.ts',
    'web/src/api/sentAlert.ts',
    'web/src/session/samples/Samples.tsx',
    'web/src/start/FirstAlert.tsx',
    'web/src/start/Preview.tsx',
    'web/src/start/StartPage.tsx',
  ],
  approvals: ['cli/api/decide.ts', 'web/src/list/listState.ts', 'web/src/system/WaitingWork.tsx'],
  chat: [
    'cli/alert/sendAlert.ts',
    'web/src/features/approvals/AgentQuestion.tsx',
    'web/src/start/StartPage.tsx',
  ],
  checks: ['cli/commands/session/watch.ts'],
  claims: [
    'cli/api/sessions.ts',
    'web/src/features/compare/ComparePage.tsx',
    'web/src/features/compare/claims.ts',
    'web/src/model/ledger.ts',
    'web/src/session/analysis/Analysis.tsx',
    'web/src/session/state/sessionModel.ts',
  ],
  correlation: ['web/src/features/alertFates/Regroup.tsx'],
  guidance: ['web/src/features/approvals/AgentQuestion.tsx'],
  rerun: ['cli/alert/sendAlert.ts', 'web/src/session/Actions.tsx'],
  work: [
    'web/src/features/budgets/Calibration.tsx',
    'web/src/features/budgets/UsagePage.tsx',
    'web/src/list/ListItem.tsx',
    'web/src/list/ListPage.tsx',
    'web/src/model/reviews.ts',
    'web/src/session/state/sessionModel.ts',
    'web/src/session/state/useWork.ts',
    'web/src/system/WaitingWork.tsx',
    'web/src/system/waitingSessions.ts',
  ],
};
/** Features that most pages and commands are made of. */
const EVERYWHERE = ['sessions', 'system'];
/** Removed together in the demo. */
const FIVE = ['canary', 'changes', 'deliveries', 'knowledge', 'outcomes'];
const DEMO_MS = 600_000;

const all = [
  ...new Set([...FEATURES, ...FEATURE_FOLDERS.slice(0, 3).flatMap((folder) => readdirSync(folder))]),
];
const removable = all.filter((feature) => !(feature in CALLED) && !EVERYWHERE.includes(feature)).sort();

/** Two features, by the commit, so that each change tries others. */
function drawTwo(): string[] {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
  const random = xoroshiro128plus(Number.parseInt(commit.slice(0, 8), 16));
  const draw = (count: number) => (random.next() >>> 0) % count;
  const first = draw(removable.length);
  const second = (first + 1 + draw(removable.length - 1)) % removable.length;
  return [first, second].map((index) => removable[index] ?? '');
}

let root: string;
let changed: string[] = [];
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'inquest-deletable-'));
  copyRepository(root);
  // The product alone: tests of several features, the simulation and the harness name features.
  const exclude = ['**/*.test.ts', '**/*.fixture.ts', 'functions/fixtures'];
  // A list whose features are gone does not read which are off.
  const compilerOptions = { incremental: true, noUnusedParameters: false };
  const product = (include: string[]) =>
    JSON.stringify({ extends: './tsconfig.json', compilerOptions, include, exclude });
  writeFileSync(join(root, 'product.json'), product(['functions', 'shared', 'cli', 'local', 'deploy']));
  writeFileSync(join(root, 'web/product.json'), product(['src']));
});
afterEach(() => {
  for (const path of changed) {
    rmSync(join(root, path), { recursive: true, force: true });
    execFileSync('cp', ['-r', path.replace(/\/$/, ''), join(root, path.replace(/\/$/, ''))]);
  }
  changed = [];
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The files of the copy with faults, each once, or the faults of one. */
async function compile(): Promise<string[]> {
  const faults: string[] = [];
  for (const project of ['product.json', 'web/product.json']) {
    const args = ['--noEmit', '--pretty', 'false', '-p', project];
    const { stdout } = await promisify(execFile)('node_modules/.bin/tsc', args, { cwd: root }).catch(
      (failed: { stdout: string }) => failed,
    );
    faults.push(...stdout.split('\n').filter((line) => /^\S+\(\d+,\d+\): /.test(line)));
  }
  return faults;
}

describe('a copy of the repository', () => {
  it.each(IS_LONG ? removable : drawTwo())('compiles without %s', async (feature) => {
    changed = removeFeature(root, feature);
    expect(changed.some((path) => path.endsWith(`/${feature}/`))).toBe(true);
    expect(await compile()).toEqual([]);
  });

  it.each(IS_LONG ? Object.keys(CALLED) : [])(
    'does not without %s: these files call its routes',
    async (feature) => {
      changed = removeFeature(root, feature);
      const files = (await compile()).map((fault) => fault.replace(/\(.*/s, ''));
      expect([...new Set(files)].sort()).toEqual(CALLED[feature]);
    },
  );

  it.skipIf(!IS_LONG)(
    `runs the demo without ${FIVE.join(', ')}`,
    async () => {
      changed = FIVE.flatMap((feature) => removeFeature(root, feature));
      expect(FIVE.map((feature) => existsSync(join(root, `shared/features/${feature}`)))).not.toContain(true);
      const args = ['cli/inquest.js', 'demo'];
      const { stdout } = await promisify(execFile)('node', args, { cwd: root, timeout: DEMO_MS });
      expect(stdout).toContain('OOMKilled');
    },
    DEMO_MS,
  );
});
