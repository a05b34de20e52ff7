import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFile } from '../../shared/projectFiles.ts';
import { writeFiles } from '../support/ownConfig.ts';
import { findMentions } from './mentions.ts';
import { planMove, planPaths } from './planMove.ts';
import { planRename } from './planRename.ts';
import { openRepository } from './repository.ts';
import { describeChange, writeChange } from './writeChanges.ts';

/** A repository with code, tests, a mutant, pages and lists. */
const FILES = {
  'tsconfig.json': `{ "compilerOptions": { "target": "es2024", "module": "nodenext", "noEmit": true,
  "allowImportingTsExtensions": true, "strict": true, "types": [] }, "include": ["shared", "test", "cli"] }`,
  'package.json': `{ "type": "module", "scripts": { "cost": "node shared/text/cost.ts" },
  "knip": { "entry": ["shared/text/cost.ts!", "shared/{text,other}/*.ts"] } }`,
  'biome.json': `{ "formatter": { "indentStyle": "space", "lineWidth": 110 },
  "javascript": { "formatter": { "quoteStyle": "single" } } }`,
  'shared/text/cost.ts': `// Costs. \`priceUp\` reads addUp.

import { addUp } from './sum.ts';

export interface PriceUp { tokens: number }

/** As {@link addUp}. */
export function priceUp(costs: number[]): PriceUp {
  const total = addUp(costs);
  return { tokens: total > 1_000_000 ? 1_000_000 : total };
}
`,
  'shared/text/sum.ts': `export const addUp = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
const total = [1, 2];
export { total as counted };
`,
  'shared/text/sum.test.ts': `import { addUp } from './sum.ts';
declare const it: (title: string, run: () => void) => void;
it('addUp adds', () => void addUp([1]));
`,
  'shared/other/use.ts': `import * as all from '../text/cost.ts';
import { priceUp, type PriceUp } from '../text/cost.ts';
import { addUp as add } from '../text/sum.ts';

export const parts = { priceUp, sum: add, addUp: 1 };
export const cost: PriceUp = all.priceUp([1]);
export async function load(): Promise<number> {
  const all: typeof import('../text/sum.ts') = await import('../text/sum.ts');
  const { addUp } = all;
  return addUp([1]);
}
`,
  'test/paths.test.ts': `declare const vi: { mock(path: string, module: () => object): void };
vi.mock('../shared/text/sum.ts', () => ({ addUp: () => 1 }));
export const place = new URL('../shared/text/sum.ts', import.meta.url);
export const folder = new URL('../', import.meta.url);
export const golden = ['shared/text/cost.ts', 'text/cost.ts', 'cost.ts'];
`,
  'test/mutants.ts': `export const MUTANTS = {
  'the largest cost': {
    file: 'text/cost.ts',
    text: 'const total = addUp(costs);',
    by: 'const total = addUp([]) + costs.length;',
  },
  'a cost has no limit': { file: 'text/cost.ts', text: 'total > 1_000_000 ? 1_000_000 : total', by: 'total' },
};
`,
  'docs/costs.md': `See [the code](../shared/text/cost.ts) and \`shared/text/sum.ts\`, which has \`addUp\`.

| rule | test |
|---|---|
| It adds. | [sum](../shared/text/sum.test.ts) addUp adds |

\`\`\`diff
--- shared/text/cost.ts
 import { addUp } from './sum.ts';
+import { more } from './more.ts';
\`\`\`
`,
  'docs/decisions/1.md': 'It was in `shared/text/sum.ts`, see [code](../../shared/text/sum.ts).\n',
  'test/recorded/a.json': '{ "path": "shared/text/sum.ts" }\n',
};

function makeRepository(files: Record<string, string> = FILES): string {
  const root = writeFiles(files);
  symlinkSync(projectFile('node_modules'), join(root, 'node_modules'));
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['add', ...Object.keys(files)], { cwd: root });
  return root;
}

const typeFaults = (root: string): string =>
  execFileSync(process.execPath, [projectFile('node_modules/typescript/bin/tsc'), '-p', root], {
    encoding: 'utf8',
  });

function move(root: string, ...pairs: [string, string][]): string[] {
  const repository = openRepository(root);
  const moved = planPaths(repository, pairs);
  const unmatched = writeChange(repository, { moved, ...planMove(repository, moved) });
  return [...unmatched, ...findMentions(openRepository(root), moved)];
}

const NOTHING_MOVED = { files: new Map<string, string>(), folders: new Map<string, string>() };

function rename(root: string, ...renames: [string, string, string][]): string[] {
  const repository = openRepository(root);
  const planned = planRename(
    repository,
    renames.map(([file, old, to]) => ({ file, old, new: to })),
  );
  return [...writeChange(repository, { moved: NOTHING_MOVED, ...planned }), ...planned.left];
}

const reader = (root: string) => (file: string) => readFileSync(join(root, file), 'utf8');

describe('a move', () => {
  it('of files rewrites imports, lists, mutants, pages and diffs, and names the globs that lose a file', () => {
    const root = makeRepository();
    const left = move(
      root,
      ['shared/text/sum.ts', 'shared/math/add.ts'],
      ['shared/text/cost.ts', 'shared/usage/costs/'],
    );
    const read = reader(root);
    expect(read('shared/usage/costs/cost.ts')).toContain("from '../../math/add.ts'");
    expect(read('shared/math/add.test.ts')).toContain("from './add.ts'");
    expect(read('shared/other/use.ts').match(/'\.\.[^']*'/g)).toEqual([
      "'../math/add.ts'",
      "'../usage/costs/cost.ts'",
      "'../usage/costs/cost.ts'",
      "'../math/add.ts'",
      "'../math/add.ts'",
    ]);
    expect(read('test/paths.test.ts')).toContain(
      "golden = ['shared/usage/costs/cost.ts', 'usage/costs/cost.ts', 'cost.ts']",
    );
    expect(read('test/paths.test.ts')).toContain("new URL('../shared/math/add.ts', import.meta.url)");
    expect(read('test/mutants.ts').match(/file: '[^']*'/g)).toEqual(
      Array(2).fill("file: 'usage/costs/cost.ts'"),
    );
    expect(read('package.json')).toContain('node shared/usage/costs/cost.ts');
    expect(read('docs/costs.md')).toBe(
      FILES['docs/costs.md']
        .replace("'./sum.ts'", "'../../math/add.ts'")
        .replace("'./more.ts'", "'../../text/more.ts'")
        .replaceAll('shared/text/cost.ts', 'shared/usage/costs/cost.ts')
        .replaceAll('shared/text/sum', 'shared/math/add')
        .replace('[sum]', '[add]'),
    );
    expect(read('docs/decisions/1.md')).toBe(
      'It was in `shared/text/sum.ts`, see [code](../../shared/math/add.ts).\n',
    );
    expect(read('test/recorded/a.json')).toBe(FILES['test/recorded/a.json']);
    expect(left).toEqual([expect.stringMatching(/^package.json:2 .* no longer matches shared\/\w+/)]);
    expect(typeFaults(root)).toBe('');
  });

  it('of a folder and of files that take its place keeps every path', () => {
    const root = makeRepository();
    move(
      root,
      ['shared/text', 'shared/core/text'],
      ['shared/other', 'shared/text'],
      ['test/paths.test.ts', 'test/a/b/'],
    );
    const read = reader(root);
    expect(read('shared/text/use.ts')).toContain("from '../core/text/cost.ts'");
    expect(read('shared/core/text/cost.ts')).toContain("from './sum.ts'");
    expect(read('test/a/b/paths.test.ts')).toContain("new URL('../../../', import.meta.url)");
    expect(read('package.json')).toContain('"shared/core/text/cost.ts!"');
    expect(typeFaults(root)).toBe('');
  });

  it.each([
    ['a file that does not exist', [['shared/none.ts', 'shared/a.ts']], 'shared/none.ts is no tracked file'],
    [
      'a target that exists',
      [['shared/text/sum.ts', 'shared/text/cost.ts']],
      'shared/text/cost.ts, the target',
    ],
  ] as const)('is refused for %s', (_, pairs, message) => {
    expect(() => planPaths(openRepository(makeRepository()), pairs)).toThrow(message);
  });
});

describe('a rename', () => {
  it('rewrites uses, mutants, comments, titles and pages, and keeps keys of objects', () => {
    const root = makeRepository();
    const left = rename(
      root,
      ['shared/text/sum.ts', 'addUp', 'addAllNumbersOfTheGivenListToOneNumber'],
      ['shared/text/cost.ts', 'priceUp', 'computeCost'],
      ['shared/text/cost.ts', 'PriceUp', 'Cost'],
      ['shared/text/sum.ts', 'total', 'whole'],
    );
    const read = reader(root);
    const LONG = 'addAllNumbersOfTheGivenListToOneNumber';
    expect(read('shared/text/cost.ts')).toContain(`// Costs. \`computeCost\` reads ${LONG}.`);
    expect(read('shared/text/cost.ts')).toContain(`{@link ${LONG}}`);
    expect(read('shared/text/cost.ts')).toContain('function computeCost(costs: number[]): Cost {');
    expect(read('shared/text/sum.ts')).toContain('export { whole as counted };');
    expect(read('shared/text/sum.test.ts')).toContain(`it('${LONG} adds', `);
    expect(read('shared/other/use.ts')).toContain(`import { ${LONG} as add } from`);
    expect(read('shared/other/use.ts')).toContain('{ priceUp: computeCost, sum: add, addUp: 1 }');
    expect(read('shared/other/use.ts')).toContain('const cost: Cost = all.computeCost([1]);');
    expect(read('shared/other/use.ts')).toContain(`const { ${LONG}: addUp } = all`);
    expect(read('test/paths.test.ts')).toContain(`({ ${LONG}: () => 1 })`);
    expect(read('test/mutants.ts')).toContain(`text: 'const total = ${LONG}(costs);'`);
    expect(read('test/mutants.ts')).toContain(`by: 'const total = ${LONG}([]) + costs.length;'`);
    expect(read('docs/costs.md')).toContain(`[sum](../shared/text/sum.test.ts) ${LONG} adds`);
    // `addUp` is still a key of `use.ts`: elsewhere a person decides.
    expect(left.map((line) => line.split(' ')[0])).toEqual(['docs/costs.md:1', 'docs/costs.md:9']);
    expect(typeFaults(root)).toBe('');
  });

  it('fits the text of a mutant to lines that the format breaks', () => {
    const root = makeRepository();
    const long = 'limitTheNumberOfTokensToTheLargestNumberThatOneRequestCanHaveInAll';
    rename(root, ['shared/text/cost.ts:9', 'total', long]);
    const text = /text: '(return[^']*|[^']*1_000_000[^']*)'/.exec(reader(root)('test/mutants.ts'))?.[1] ?? '';
    expect(reader(root)('shared/text/cost.ts')).toContain(text.replaceAll('\\n', '\n'));
    expect(text).toContain('\\n');
  });

  it.each([
    ['a name that stands in the file', ['shared/text/cost.ts', 'priceUp', 'addUp'], 'addUp is another name'],
    ['a name of a scope that uses it', ['shared/text/sum.ts', 'addUp', 'total'], 'total is another name'],
    ['a name that another file has', ['shared/text/cost.ts', 'priceUp', 'add'], 'shared/other/use.ts:2'],
    ['a name that is not declared', ['shared/text/cost.ts', 'addUp', 'add'], 'not declared there'],
    ['a global that the file uses', ['shared/other/use.ts', 'load', 'Promise'], 'uses the global Promise'],
    ['a text that is no name', ['shared/text/cost.ts', 'priceUp', 'a-b'], '"a-b" is no name'],
  ] as const)('is refused for %s', (_, [file, old, to], message) => {
    const repository = openRepository(makeRepository());
    expect(() => planRename(repository, [{ file, old, new: to }])).toThrow(message);
  });

  it('is described line by line before it is made', () => {
    const repository = openRepository(makeRepository());
    const planned = planRename(repository, [{ file: 'shared/text/sum.ts', old: 'total', new: 'whole' }]);
    expect(describeChange(repository, { moved: NOTHING_MOVED, ...planned })).toEqual([
      'shared/text/sum.ts:2 total -> whole',
      'shared/text/sum.ts:3 total -> whole',
    ]);
  });
});
