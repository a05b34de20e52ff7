// docs/reliability.md names crash points, outcomes and test files: they must be those of the code.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CRASH_POINTS } from './core/kernel/crashPoints.ts';

const ROOT = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const text = read('docs/reliability.md');
/** The cells of all table rows. */
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

it('every crash point has one row, in the order of its constant', () => {
  const points: string[] = Object.values(CRASH_POINTS);
  const documented = rows
    .map(([, first = '']) => first.replaceAll('`', ''))
    .filter((name) => points.includes(name));
  expect(documented).toEqual(points);
});

it('every crash point is reached by the runtime', () => {
  const folder = new URL('shared/', ROOT);
  const sources = globSync('**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] })
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n');
  for (const name of Object.keys(CRASH_POINTS)) expect(sources).toContain(`CRASH_POINTS.${name})`);
});

it.each([
  ['decide.ts', ['shared/core/kernel/state/decide.ts'], /^(?:export )?type (?:Decision|Work)[\s\S]*?;\n\n/gm],
  [
    'decideBurial',
    ['shared/core/kernel/state/decide.ts', 'shared/core/rescue/buryIteration.ts'],
    /^(?:export )?type (?:DecisionWithoutWork|BuryDecision)[\s\S]*?;\n\n/gm,
  ],
  ['decideStage.ts', ['shared/core/stage/decideStage.ts'], /^(?:export )?type StageDecision[\s\S]*?;\n\n/gm],
  [
    'decideSweep.ts',
    ['shared/core/rescue/decideSweep.ts'],
    /^(?:export )?type (?:Sweep|Execution)Decision[\s\S]*?;\n\n/gm,
  ],
])('the outcomes of %s are those it has', (name, files, pattern) => {
  const declared = [...files.map(read).join('\n').matchAll(pattern)].join('\n');
  const kinds = [...declared.matchAll(/\{\s*kind: '(\w+)'/g)].map(([, kind]) => kind);
  const row = rows.find(([, , second = '']) => second.includes(name));
  const documented = [...(row?.[3] ?? '').matchAll(/`(\w+)`/g)].map(([, kind]) => kind);
  expect([...new Set(documented)].sort()).toEqual([...new Set(kinds)].sort());
});

it('every test file it names exists', () => {
  const files = [...text.matchAll(/`([\w/]+\.test\.ts)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !existsSync(new URL(file, ROOT)))).toEqual([]);
});
