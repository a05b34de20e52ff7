import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { IS_FULL } from '../../support/fullTests.ts';
import type { MeasuredTest } from './baseline.ts';
import type { CampaignOptions } from './campaign.ts';
import { checkEquivalents, readEquivalents } from './equivalents.ts';
import { describeMutant, type Mutant } from './mutant.ts';
import { reportSample } from './report.ts';
import { chooseSample, wilsonInterval } from './sample.ts';
import { type Trial, tryMutant } from './tryMutant.ts';
import type { RunEnd } from './vitestRun.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mutation-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const mutants = Array.from(
  { length: 100 },
  (_, index): Mutant => ({
    id: String(index),
    file: `shared/text/${index % 7}.ts`,
    line: index,
    mutator: 'EqualityOperator',
    original: 'a < b',
    replacement: 'a <= b',
    nth: index,
  }),
);

describe('a sample', () => {
  it('depends on the seed only, and contains each smaller sample', () => {
    const sample = chooseSample(mutants, 20, 7);
    expect(chooseSample(mutants.toReversed(), 20, 7)).toEqual(sample);
    expect(chooseSample(mutants, 10, 7)).toEqual(sample.slice(0, 10));
    expect(chooseSample(mutants, 20, 8)).not.toEqual(sample);
  });

  it('keeps its mutants when lines are added above them', () => {
    const moved = mutants.map((mutant) => ({ ...mutant, line: mutant.line + 3 }));
    const ids = (sample: Mutant[]) => sample.map(({ id }) => id);
    expect(ids(chooseSample(moved, 20, 7))).toEqual(ids(chooseSample(mutants, 20, 7)));
  });

  it.each([
    [0, 0, 0, 1],
    [0, 10, 0, 0.2775],
    [8, 10, 0.4902, 0.9433],
    [228, 300, 0.7085, 0.8049],
  ])('of which %i of %i are detected has the interval %f to %f', (hits, total, low, high) => {
    const interval = wilsonInterval(hits, total);
    expect(interval[0]).toBeCloseTo(low, 3);
    expect(interval[1]).toBeCloseTo(high, 3);
  });
});

describe('the list of equivalent mutants', () => {
  const entry = {
    ...mutants[5],
    nth: 5,
    file: 'shared/text/5.ts',
    reason: 'Both are never equal here.',
  } as const;
  const listed = { mutator: 'EqualityOperator', original: 'a < b', replacement: 'a <= b', ...entry };

  it('fails for an entry that names no mutant, or one twice', () => {
    expect(() => checkEquivalents([listed], mutants)).not.toThrow();
    expect(() => checkEquivalents([{ ...listed, original: 'a > b' }], mutants)).toThrow('a > b');
    expect(() => checkEquivalents([listed, listed], mutants)).toThrow('Correct or remove');
  });

  it('fails for an entry without a reason', () => {
    const path = join(folder, 'list.yaml');
    writeFileSync(path, '- { file: a.ts, mutator: Regex, original: a, replacement: b }\n');
    expect(() => readEquivalents(pathToFileURL(path))).toThrow('reason');
  });

  it.runIf(IS_FULL)('names existing mutants only', async () => {
    const { checkList } = await import('./prepareSample.ts');
    await checkList(PROJECT, readEquivalents());
  });
});

it.runIf(IS_FULL)('texts have the switches of the chosen mutants, and all of these', async () => {
  const { instrumentChosen, instrumentFiles } = await import('./instrument.ts');
  const file = 'shared/alerts/incident.ts';
  const { mutants, texts } = await instrumentFiles(PROJECT, [file]);
  const sizes: number[] = [];
  for (const mutant of mutants.filter((_, index) => index % 10 === 0)) {
    const chosen = await instrumentChosen(PROJECT, [mutant]);
    const { id } = chosen.mutants[0] ?? {};
    expect(chosen.texts.get(file)).toContain(`stryMutAct_9fa48("${id}")`);
    sizes.push(chosen.texts.get(file)?.length ?? 0);
  }
  expect(Math.max(...sizes)).toBeLessThan((texts.get(file) ?? '').length / 2);
});

it.runIf(IS_FULL)('sources of the page are its model, without what needs a browser', async () => {
  const { listSources } = await import('./prepareSample.ts');
  const files = listSources(PROJECT, ['web/src/session', 'web/src/model']);
  expect(files).toContain('web/src/model/steps.ts');
  expect(files).toContain('web/src/session/state/sessionReader.ts');
  expect(files).not.toContain('web/src/session/scrollAnchor.ts');
  expect(files).not.toContain('web/src/session/state/useControl.ts');
});

describe('a mutant', () => {
  const files = ['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts', 'e.test.ts', 'test/api/api.test.ts'];

  /** Tries a mutant whose place the named tests run, and some of them notice. */
  async function tryOn(
    facts: {
      covering: string[];
      failing?: string[];
      isControlPassed?: boolean;
      isLoaded?: boolean;
      hasAll?: boolean;
      capMs?: number;
      /** In milliseconds of the processor, by file. Default: 100. */
      costs?: Record<string, number>;
    },
    fault: Partial<RunEnd> & { at?: string } = {},
  ) {
    const ran: string[][] = [];
    const {
      covering,
      failing = [],
      isControlPassed = true,
      isLoaded = false,
      hasAll = true,
      capMs = 1000,
      costs = {},
    } = facts;
    const tests = files.map(
      (file): MeasuredTest => ({
        file,
        ms: 100,
        cpuMs: costs[file] ?? 100,
        passed: !failing.includes(file),
        failed: [],
        covered: covering.includes(file) ? ['1'] : [],
      }),
    );
    const run: Trial['run'] = async (measured, isMutated) => {
      const files = measured.map(({ file }) => file);
      if (isMutated) ran.push(files);
      const isFault = isMutated && files.includes(fault.at ?? '');
      const end = { results: [], coverage: [], isTimeout: false, output: [] };
      return { ...end, passed: isMutated ? !isFault : isControlPassed, ...(isFault ? fault : {}) };
    };
    return { ...(await tryMutant({ id: '1', tests, hasAll, isLoaded, capMs, run })), ran };
  }
  const failure = (file: string) => ({
    at: file,
    results: [{ file, passed: false, ms: 1, failed: ['counts'] }],
  });

  it('is killed by the first test that fails', async () => {
    const covering = ['a.test.ts', 'c.test.ts', 'test/api/api.test.ts'];
    const { outcome, by, ran } = await tryOn({ covering }, failure('a.test.ts'));
    expect({ outcome, by }).toEqual({ outcome: 'killed', by: 'a.test.ts > counts' });
    expect(ran).toEqual([['a.test.ts', 'c.test.ts']]);
  });

  it('is tried with a far test before an expensive near one', async () => {
    const facts = { covering: ['a.test.ts', 'c.test.ts'], costs: { 'a.test.ts': 300 } };
    expect((await tryOn(facts)).ran).toEqual([['c.test.ts', 'a.test.ts']]);
  });

  it('survives when all tests that run its place pass, those on the local cloud last', async () => {
    const ran = [['c.test.ts'], ['test/api/api.test.ts']];
    expect(await tryOn({ covering: ran.flat() })).toEqual({ outcome: 'survived', ran });
  });

  it('is tried with all tests when its place runs while modules are loaded', async () => {
    const { ran } = await tryOn({ covering: [], isLoaded: true });
    expect(ran.flat()).toEqual(files);
  });

  it('is not killed by a test that fails without it', async () => {
    const facts = { covering: ['a.test.ts', 'e.test.ts'], failing: ['a.test.ts'] };
    expect(await tryOn(facts, failure('a.test.ts'))).toEqual({ outcome: 'survived', ran: [['e.test.ts']] });
  });

  it('has no coverage when no test runs its place', async () => {
    expect(await tryOn({ covering: [] })).toEqual({ outcome: 'no coverage', ran: [] });
  });

  it('is not decided when tests are left out, but the first one runs', async () => {
    const facts = { covering: ['a.test.ts', 'b.test.ts'], capMs: 50 };
    expect(await tryOn(facts)).toMatchObject({ outcome: 'not decided', ran: [['a.test.ts']] });
    expect(await tryOn({ covering: [], hasAll: false })).toMatchObject({ outcome: 'not decided', ran: [] });
  });

  it.each([
    [{ isTimeout: true }, true, 'timeout'],
    [{ isTimeout: true }, false, 'not decided'],
    [{ output: ['a process died'] }, true, 'killed'],
    [{ output: ['a process died'] }, false, 'not decided'],
  ])(
    'that ends its tests with %o, which pass without it: %s, is %s',
    async (fault, isControlPassed, outcome) => {
      const facts = { covering: ['a.test.ts'], isControlPassed };
      expect(await tryOn(facts, { at: 'a.test.ts', ...fault })).toMatchObject({ outcome });
    },
  );
});

describe.runIf(IS_FULL)('a campaign on a small tree', () => {
  const root = join(folder, 'tree');
  const SOURCE = `
    export const isLarge = (size: number): boolean => size > 10;
    export function addUnseen(a: number): number { return a + 1; }
    export function logSize(log: { info(text: string): void }, size: number): void { log.info('size ' + size); }
  `;
  const TEST = `
    import { expect, it } from 'vitest';
    import { isLarge, logSize } from './size.ts';
    it('is large', () => expect([isLarge(3), isLarge(11)]).toEqual([false, true]));
    it('is logged', () => logSize({ info: () => {} }, 3));
  `;
  const BROKEN = `
    import { expect, it } from 'vitest';
    import { isLarge } from './size.ts';
    it('fails', () => expect(isLarge(10)).toBe(true));
  `;

  it('reports killed, survived and equivalent mutants, and continues without a second run', async () => {
    const { tryMutants } = await import('./campaign.ts');
    mkdirSync(join(root, 'shared/size'), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'));
    writeFileSync(join(root, 'shared/size/size.ts'), SOURCE);
    writeFileSync(join(root, 'shared/size/size.test.ts'), TEST);
    writeFileSync(join(root, 'shared/size/broken.test.ts'), BROKEN);
    writeFileSync(
      join(root, 'tsconfig.json'),
      '{ "compilerOptions": { "strict": true, "types": [] }, "files": ["shared/size/size.ts"] }',
    );
    const listTree = () => readdirSync(join(root, 'shared'), { recursive: true });
    const written = listTree();
    const lines: string[] = [];
    const reason = 'The size is never ten.';
    const file = 'shared/size/size.ts';
    const options: CampaignOptions = {
      root,
      state: join(folder, 'state'),
      sample: 100,
      seed: 1,
      folders: ['shared'],
      equivalents: [
        {
          file,
          mutator: 'EqualityOperator',
          original: 'size > 10',
          replacement: 'size <= 10',
          nth: 1,
          reason,
        },
      ],
      jobs: 2,
      capMs: 60_000,
      onProgress: (line) => lines.push(line),
      signal: new AbortController().signal,
    };
    const end = await tryMutants(options);
    const outcomes = end.tried
      .map(({ mutant, verdict }) => `${verdict.outcome}: ${describeMutant(mutant)}`)
      .sort();
    expect(outcomes).toEqual([
      `equivalent: ${file}:2 size > 10 -> size <= 10`,
      `killed: ${file}:2 (size: number): boolean => size > 10 -> () => undefined`,
      `killed: ${file}:2 size > 10 -> false`,
      `killed: ${file}:2 size > 10 -> true`,
      `no coverage: ${file}:3 a + 1 -> a - 1`,
      `refused: ${file}:3 { return a + 1; } -> {}`,
      `survived: ${file}:2 size > 10 -> size >= 10`,
    ]);
    expect(end.failing).toEqual(['shared/size/broken.test.ts']);
    expect(reportSample(end)).toContain(
      '| all | 3 | 0 | 1 | 1 | 1 | 1 | 0 | 60 % (23 to 88) | 60 % (23 to 88) |',
    );
    expect(listTree()).toEqual(written);
    expect(readdirSync(root).sort()).toEqual(['node_modules', 'shared', 'tsconfig.json']);

    lines.length = 0;
    expect(await tryMutants(options)).toEqual(end);
    expect(lines).toEqual(['7 of 7 mutants, in 1 files.']);
  });
});
