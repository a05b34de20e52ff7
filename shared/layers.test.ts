// Checks every import against the layers of `test/layers/tables.ts`.

import { globSync, readdirSync, readFileSync } from 'node:fs';
import path, { matchesGlob } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { ROOMS_PAGE, withRooms } from '../test/layers/drawRooms.ts';
import {
  CORE_IMPORTS,
  ENGINE_REACHES,
  engines,
  FEATURE_FOLDERS,
  FEATURE_LISTS,
  FEATURES,
  INLINE,
  libraries,
  MAX_FILES,
  MAY_IMPORT,
  SECOND_LEVELS,
  type SecondLevel,
  TESTS_OF_SEVERAL,
  WEB,
  WEB_MAY_IMPORT,
  WEB_MAY_IMPORT_OUTSIDE,
} from '../test/layers/tables.ts';
import { importsOf } from '../test/support/sourceImports.ts';
import * as documents from './lists/documents.ts';
import { ENGINE_COLLECTIONS } from './lists/engineFeatures.ts';

/**
 * `shared/llm/gemini/client.ts` is in `llm`, `shared/core/errors.ts` in `errors`, `cli/cli.ts` in `cli`,
 * `packages/local-cloud/src/index.ts` in `packages/local-cloud`.
 */
function roomOf(file: string): string {
  const [top = '', next = ''] = file.split('/');
  if (top === 'packages') return `${top}/${next}`;
  return top === 'shared' ? next.replace(/\.ts$/, '') : top;
}

const isForTests = (file: string): boolean => /\.(test|fixture)\.ts$/.test(file) || file.startsWith('test/');

/** The fault of a file that imports another file of ours, with the fix; undefined if there is none. */
function violation(file: string, target: string, typeOnly: boolean): string | undefined {
  const [from, to] = [roomOf(file), roomOf(target)];
  const broken = (rule: string) => `${file} imports ${target}: ${rule}`;
  if (isForTests(target)) {
    return broken('that file is for tests; move what is needed into a file of its own');
  }
  const onlyTypes = from === 'contract' || (from === 'client' && to !== 'text');
  if (onlyTypes && from !== to && !typeOnly) {
    return broken(`${from}/ imports types alone; write \`import type\`, or move the value into text/`);
  }
  if (from === to) return undefined;
  if (to.startsWith('packages/') && target !== `${to}/src/index.ts`)
    return broken('of a package only src/index.ts is imported; export there what is needed');
  if (MAY_IMPORT[from]?.includes(to)) return undefined;
  if (to === 'wiring') {
    return broken('only functions, cli, local and deploy import wiring; take the service as an argument');
  }
  if (engines.includes(to) && engines.includes(from)) {
    return broken('an engine knows no other engine; move what both need into contract/ or text/');
  }
  if (engines.includes(to) && [...libraries, 'core', 'kits', 'features', 'api'].includes(from)) {
    return broken(
      'libraries and features know no engine; let the engine put it into a type of contract/, or pass it as an argument',
    );
  }
  const allowed = MAY_IMPORT[from]?.join(', ') || 'nothing of ours';
  return broken(
    `${from} may import ${allowed}; move the code to a room both may import, or pass it as an argument`,
  );
}

function violationsOf(file: string, text: string): string[] {
  return importsOf(file, text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, typeOnly }) => violation(file, path.join(path.dirname(file), specifier), typeOnly))
    .filter((found) => found !== undefined);
}

/** Pairs of files of a folder, without its path: the first imports the second, which is in another folder. */
function importsInside(folder: string, file: string, text: string): [string, string][] {
  const from = path.dirname(file);
  return importsOf(file, text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => path.join(from, specifier))
    .filter((target) => target.startsWith(folder))
    .filter((target) => path.dirname(target) !== from || `${from}/` === folder)
    .map((target) => [file.slice(folder.length), target.slice(folder.length)]);
}

/** `stage/start.ts` of `shared/core/` is in `stage`, `createApi.ts` of `shared/api/` in `createApi`. */
const roomIn = (file: string): string => (file.split('/')[0] ?? '').replace(/\.ts$/, '');

/** The imports of pairs that a table does not allow, as `file -> file`. */
function pairViolations(
  { mayImport, apart = [] }: SecondLevel,
  pairs: readonly [string, string][],
): string[] {
  const found = pairs.filter(([file, target]) => {
    const [from, to] = [roomIn(file), roomIn(target)];
    if (from !== to) return !(mayImport[from]?.includes(to) ?? false);
    const [part = '', other] = [file.split('/')[1], target.split('/')[1]];
    return apart.includes(from) && part !== other && !part.endsWith('.ts');
  });
  return [...new Set(found.map(([file, target]) => `${file} -> ${target}`))].sort();
}

/** A file that is directly in a large folder counts as a folder of its own. */
const folderOf = (file: string): string => (file.includes('/') ? path.dirname(file) : file);

/** The folders in circles, and any on a way between circles; empty where every import points one way. */
function foldersInCircles(pairs: readonly [string, string][]): string[] {
  let left = pairs.map(([file, target]): [string, string] => [folderOf(file), folderOf(target)]);
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    const [importing, imported] = [new Set(left.map(([from]) => from)), new Set(left.map(([, to]) => to))];
    left = left.filter(([from, to]) => imported.has(from) && importing.has(to));
  }
  return [...new Set(left.map(([from]) => from))].sort();
}

const files = globSync('{functions,cli,local,deploy,packages,shared}/**/*.ts', {
  exclude: ['**/node_modules'],
})
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !isForTests(file));

describe('layers', () => {
  it('knows every room', () => {
    const rooms = new Set([...files.map(roomOf), ...Object.values(MAY_IMPORT).flat()]);
    expect([...rooms].filter((room) => MAY_IMPORT[room] === undefined)).toEqual([]);
  });

  it('lists a room above all rooms that it can import, so that rooms form no circle', () => {
    const rooms = Object.keys(MAY_IMPORT);
    const isBelow = (room: string, index: number) => rooms.indexOf(room) > index;
    expect(rooms.filter((room, index) => !MAY_IMPORT[room]?.every((to) => isBelow(to, index)))).toEqual([]);
  });

  it.each(Object.keys(MAY_IMPORT))('%s imports only rooms that it can import', (room) => {
    const own = files.filter((file) => roomOf(file) === room);
    expect(own.flatMap((file) => violationsOf(file, readFileSync(file, 'utf8')))).toEqual([]);
  });
});

it('leaves the evaluation of cases to the command line', () => {
  const importing = Object.keys(MAY_IMPORT).filter((room) => MAY_IMPORT[room]?.includes('cases'));
  expect(importing).toEqual(['cli', 'local']);
});

describe('the library', () => {
  const LIBRARY = ['shared/engine/engine.ts', 'shared/engine/testing/testing.ts'];
  const importedBy = (file: string): string[] =>
    importsOf(file, readFileSync(file, 'utf8'))
      .map(({ specifier }) => specifier)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => path.join(path.dirname(file), specifier));
  /** All files that a file reaches, each with the file that imports it first. */
  function reachedFrom(...entries: string[]): Map<string, string> {
    const reached = new Map(entries.map((entry) => [entry, '']));
    for (const file of reached.keys())
      for (const target of importedBy(file)) if (!reached.has(target)) reached.set(target, file);
    return reached;
  }

  it('reaches no alerts, files of configuration, page, API or command, also not for types', () => {
    const reached = [...reachedFrom(...LIBRARY)];
    const outside = reached.filter(([file]) => !ENGINE_REACHES.includes(roomOf(file)));
    expect(outside.map(([file, importer]) => `${importer} -> ${file}`)).toEqual([]);
  });

  it('lists all collections whose documents it stores', () => {
    const stored = [...reachedFrom(...LIBRARY).keys()].flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const imports = text.matchAll(/import \{([^}]*)\} from '[^']*\.ts'/g);
      return [...imports].flatMap(([, names = '']) => names.match(/\b[a-z]\w*Type\b/g) ?? []);
    });
    const types: Record<string, unknown> = documents;
    const collections: readonly unknown[] = ENGINE_COLLECTIONS;
    const known = stored.filter((name) => name in types);
    expect(known.length).toBeGreaterThan(10);
    expect(known.filter((name) => !collections.includes(types[name]))).toEqual([]);
  });

  it('would be refused with the features of alerts', () => {
    const rooms = [...reachedFrom('shared/lists/intakeFeatures.ts').keys()].map(roomOf);
    expect(rooms).toEqual(expect.arrayContaining(['alerts', 'config']));
  });
});

it('the picture of the architecture shows the tables: if not, run `npm run draw-rooms`', () => {
  const page = readFileSync(ROOMS_PAGE, 'utf8');
  expect(withRooms(page)).toBe(page);
});

describe('the core', () => {
  const importsOfCore = (file: string, text: string): string[] =>
    importsOf(file, text)
      .map(({ specifier }) =>
        specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier,
      )
      .filter((target) => !target.startsWith('shared/core/') && !CORE_IMPORTS.test(target));

  it('imports itself, zod, modules of Node and text/', () => {
    const found = files
      .filter((file) => file.startsWith('shared/core/'))
      .flatMap((file) =>
        importsOfCore(file, readFileSync(file, 'utf8')).map((target) => `${file} -> ${target}`),
      );
    expect(found).toEqual([]);
  });

  it.each(['pino', 'yaml', '../../masking/guards.ts', '../../features/live/feature.ts'])(
    'is checked for an import of %s',
    (specifier) => {
      expect(importsOfCore('shared/core/stage/a.ts', `import type { A } from '${specifier}';`)).toHaveLength(
        1,
      );
    },
  );
});

describe.each(SECOND_LEVELS)('the rooms of $folder', (level) => {
  const { folder, mayImport } = level;
  const own = files.filter((file) => file.startsWith(folder));
  const pairs = own.flatMap((file) => importsInside(folder, file, readFileSync(file, 'utf8')));

  it('are all in the table, each above all rooms that it can import', () => {
    const rooms = Object.keys(mayImport);
    const found = new Set(own.map((file) => roomIn(file.slice(folder.length))));
    expect([...found].sort()).toEqual([...rooms].sort());
    const isBelow = (room: string, index: number) => rooms.indexOf(room) > index;
    expect(rooms.filter((room, index) => !mayImport[room]?.every((to) => isBelow(to, index)))).toEqual([]);
  });

  it('import only the rooms that the table allows', () => {
    expect(pairViolations(level, pairs)).toEqual([]);
  });

  it('have folders whose imports form no circle', () => {
    expect(foldersInCircles(pairs)).toEqual([]);
  });

  it(`have at most ${MAX_FILES} files in a folder`, () => {
    const folders = Map.groupBy(own, (file) => path.dirname(file));
    const isList = (name: string) => level.lists?.includes(name.slice(folder.length)) ?? false;
    const large = [...folders].filter(([name, inside]) => inside.length > MAX_FILES && !isList(name));
    expect(large.map(([name]) => name)).toEqual([]);
  });
});

describe('the folders of web/src/', () => {
  const own = globSync(`${WEB}**/*.{ts,tsx}`).filter((file) => !isForTests(file));
  const folderOf = (file: string): string => path.relative(WEB, path.dirname(file)) || '.';
  const imports = own.flatMap((file) =>
    importsOf(file, readFileSync(file, 'utf8'))
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => ({ file, target: path.join(path.dirname(file), specifier) })),
  );

  it('are all in the table, each above all rooms that it can import', () => {
    const folders = Object.keys(WEB_MAY_IMPORT);
    expect([...new Set(own.map(folderOf)), 'styles'].sort()).toEqual(folders.toSorted());
    const isBelow = (folder: string, index: number) => folders.indexOf(folder) > index;
    expect(
      folders.filter((folder, index) => !WEB_MAY_IMPORT[folder]?.every((to) => isBelow(to, index))),
    ).toEqual([]);
  });

  it('import only rooms that the table allows', () => {
    const refused = imports.filter(({ file, target }) =>
      target.startsWith(WEB)
        ? folderOf(file) !== folderOf(target) && !WEB_MAY_IMPORT[folderOf(file)]?.includes(folderOf(target))
        : !WEB_MAY_IMPORT_OUTSIDE.includes(target),
    );
    expect(refused.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
  });
});

describe('the inline way of waiting for a model', () => {
  it.each(Object.entries(INLINE))('%s is imported by its starts only', (folder, starts) => {
    const importing = files.filter((file) => {
      const text = readFileSync(file, 'utf8');
      if (file.startsWith(folder) || !text.includes('/inline/')) return false;
      return importsOf(file, text).some(({ specifier }) =>
        path.join(path.dirname(file), specifier).startsWith(folder),
      );
    });
    expect(importing.filter((file) => !starts.some((start) => file.startsWith(start)))).toEqual([]);
  });
});

/** The feature in whose folders a file is; undefined for other files. */
const findFeature = (file: string): string | undefined =>
  FEATURE_FOLDERS.filter((folder) => file.startsWith(folder)).map(
    (folder) => file.slice(folder.length).split('/')[0],
  )[0];

/** The imports of a file that lead to features of another name. */
function importsOfOthers(file: string, text: string): string[] {
  // The parser is slow: outside of features a path of one names its folder.
  if (findFeature(file) === undefined && !text.includes('features/')) return [];
  return importsOf(file, text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => path.join(path.dirname(file), specifier))
    .filter((target) => ![undefined, findFeature(file)].includes(findFeature(target)));
}

const isListed = (file: string, globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob));

describe('each feature', () => {
  const tops = 'cli,deploy,docs,examples,functions,local,packages,shared,test,web';
  const importing = globSync(`{${tops}}/**/*.{ts,tsx}`, { exclude: ['**/node_modules'] }).filter(
    (file) => importsOfOthers(file, readFileSync(file, 'utf8')).length > 0,
  );

  it('is imported by its own folders, by lists and by tests of several features alone', () => {
    expect(importing.length).toBeGreaterThan(20);
    expect(importing.filter((file) => !isListed(file, [...FEATURE_LISTS, ...TESTS_OF_SEVERAL]))).toEqual([]);
  });

  it('is a part of each test that is listed as one of several', () => {
    expect(TESTS_OF_SEVERAL.filter((glob) => !importing.some((file) => isListed(file, [glob])))).toEqual([]);
  });

  it('has folders of one name: only the comparison of sessions has none in shared/', () => {
    const named = FEATURE_FOLDERS.slice(0, 3).flatMap((folder) => readdirSync(folder));
    expect([...new Set(named)].filter((name) => !FEATURES.includes(name))).toEqual(['compare']);
  });

  it.each([
    ['shared/wiring/a.ts', '../features/chat/b.ts'],
    ['shared/features/live/a.ts', '../chat/b.ts'],
    ['cli/features/live/a.ts', '../../../shared/features/chat/b.ts'],
    ['web/src/session/a.tsx', '../features/chat/B.tsx'],
    ['test/features/live/a.test.ts', '../../../shared/features/chat/b.ts'],
  ])('is not imported by %s as %s', (file, specifier) => {
    expect(importsOfOthers(file, `import { b } from '${specifier}';`)).toHaveLength(1);
  });

  it.each([
    ['cli/features/chat/a.ts', '../../../shared/features/chat/b.ts'],
    ['test/features/chat/a.test.ts', '../../../shared/features/chat/b.ts'],
    ['test/features/live/a.test.ts', '../../../shared/lists/routes.ts'],
  ])('can be imported by %s as %s', (file, specifier) => {
    expect(importsOfOthers(file, `import { b } from '${specifier}';`)).toEqual([]);
  });
});

describe('the check itself', () => {
  /** The faults of an import between files of `shared/core/`, `shared/kits/` or `shared/features/`. */
  const pairFaults = (file: string, statement: string): string[] => {
    const level = SECOND_LEVELS.find(({ folder }) => file.startsWith(folder)) as SecondLevel;
    return pairViolations(level, importsInside(level.folder, file, statement));
  };

  it.each([
    "import { a } from '../llm/a.ts';",
    "import '../llm/a.ts';",
    "import type { A } from '../llm/a.ts';",
    "import { type A } from '../llm/a.ts';",
    "export { a } from '../llm/a.ts';",
    "export * from '../llm/a.ts';",
    "export type { A } from '../llm/a.ts';",
    "const a = () => import('../llm/a.ts');",
    "type A = import('../llm/a.ts').A;",
    "type A = typeof import('../llm/a.ts');",
  ])('sees %s', (text) => {
    expect(violationsOf('shared/prompt/b.ts', text)).toEqual([
      'shared/prompt/b.ts imports shared/llm/a.ts: libraries and features know no engine; let the engine put it into a type of contract/, or pass it as an argument',
    ]);
  });

  it.each([
    ['shared/store/a.ts', '../llm/b.ts', 'an engine knows no other engine'],
    [
      'shared/core/iteration/a.ts',
      '../../wiring/b.ts',
      'only functions, cli, local and deploy import wiring',
    ],
    ['shared/core/controllers/a.ts', '../../config/b.ts', 'core may import text;'],
    ['shared/text/a.ts', '../core/errors.ts', 'text may import nothing of ours'],
    ['shared/contract/a.ts', '../schema/b.ts', 'contract/ imports types alone'],
    ['shared/client/a.ts', '../api/b.ts', 'client/ imports types alone'],
    ['functions/a.ts', '../shared/store/b.ts', 'functions may import wiring,'],
    ['local/a.ts', '../test/support/b.ts', 'that file is for tests'],
    ['local/a.ts', '../packages/local-cloud/src/b.ts', 'of a package only src/index.ts is imported'],
    ['packages/local-cloud/src/a.ts', '../../../shared/core/errors.ts', 'may import nothing of ours'],
    ['packages/local-cloud/src/a.ts', '../../scripted-gemini/src/index.ts', 'may import nothing of ours'],
    ['shared/llm/a.ts', '../../packages/scripted-gemini/src/index.ts', 'llm may import masking,'],
    ['shared/llm/a.ts', './b.fixture.ts', 'that file is for tests'],
  ])('refuses that %s imports %s', (file, specifier, rule) => {
    expect(violationsOf(file, `import { b } from '${specifier}';`).join()).toContain(rule);
  });

  it.each([
    ['shared/core/iteration/a.ts', '../stage/b.ts'],
    ['shared/core/controllers/a.ts', '../prompts/b.ts'],
    ['shared/wiring/a.ts', '../llm/b.ts'],
    ['cli/a.ts', '../local/b.ts'],
    ['shared/llm/a.ts', 'zod'],
  ])('allows that %s imports %s', (file, specifier) => {
    expect(violationsOf(file, `import { b } from '${specifier}';`)).toEqual([]);
  });

  it.each([
    ['core/kernel/execution/a.ts', '../../rescue/b.ts', 'kernel/execution/a.ts -> rescue/b.ts'],
    ['features/chat/a.ts', '../live/b.ts', 'chat/a.ts -> live/b.ts'],
    ['core/stage/a.ts', '../iteration/ask/b.ts', 'stage/a.ts -> iteration/ask/b.ts'],
  ])('refuses that %s imports the type of %s', (file, specifier, found) => {
    expect(pairFaults(`shared/${file}`, `import type { B } from '${specifier}';`)).toEqual([found]);
  });

  it.each([
    ['core/iteration/ask/a.ts', '../answer/b.ts'],
    ['kits/views/a.ts', '../alerts/b.ts'],
    ['core/kernel/tools/a.ts', '../deps.ts'],
  ])('allows that %s imports %s', (file, specifier) => {
    expect(pairFaults(`shared/${file}`, `import '${specifier}';`)).toEqual([]);
  });

  it('finds folders in a circle, not those beside it', () => {
    const circle: [string, string][] = [
      ['a/1.ts', 'b/1.ts'],
      ['b/2.ts', 'c/1.ts'],
      ['c/2.ts', 'b/3.ts'],
      ['c/3.ts', 'd/1.ts'],
    ];
    expect(foldersInCircles(circle)).toEqual(['b', 'c']);
    expect(foldersInCircles(circle.slice(0, 2))).toEqual([]);
  });
});
