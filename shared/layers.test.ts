// The layers of the code: which room may import which. A room is a top folder, a folder of shared/ or of
// packages/, or a single file of shared/. Tests and fixtures are free; everything else follows the table,
// also for types. The rooms of large folders have tables of their own.

import { globSync, readFileSync } from 'node:fs';
import { posix as path } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../test/support/sourceImports.ts';

const base = ['contract', 'schema', 'text', 'errors'];
const core = [
  'wording',
  'controller',
  'prompt',
  'masking',
  'changes',
  'alerts',
  'config',
  'agents',
  'search',
  'evidence',
];
const engines = ['llm', 'tools', 'store', 'runbooks', 'destinations', 'telemetry'];
const belowWiring = [
  'engine',
  'api',
  'runtime',
  ...core,
  ...engines,
  ...base,
  'log',
  'environment',
  'projectFiles',
];

/** The files of the core: the protocol of sessions, stages, executions and iterations. */
const CORE =
  /^shared\/(errors\.ts$|(schema|contract|controller|prompt)\/|runtime\/(kernel|iteration|stage|session|rescue)\/)/;
/** What the core imports besides itself and Node's own modules. */
const CORE_IMPORTS = /^(zod$|node:|shared\/text\/)/;
/** They know nothing of the product, and only their entries are imported. */
const packages = ['packages/local-cloud', 'packages/scripted-gemini'];

/** What each room may import besides itself. Every import points down this table. */
const MAY_IMPORT: Record<string, string[]> = {
  cli: ['local', 'deploy', 'functions', 'wiring', 'cases', 'client', ...belowWiring],
  local: ['deploy', 'functions', 'wiring', 'cases', ...packages, ...belowWiring],
  deploy: ['functions', 'wiring', ...belowWiring],
  functions: ['wiring', 'api', 'runtime', ...base, 'log', 'projectFiles'],

  cases: ['engine', 'runtime', 'store', 'tools', ...core, ...base, 'log', 'projectFiles'],
  wiring: belowWiring,
  // For the page, which loads it: only types of `api` and `schema`.
  client: ['api', 'schema', 'text'],
  // The library: neither alerts, the API, files of configuration nor the command.
  engine: ['log', 'runtime', 'prompt', 'masking', 'llm', 'tools', 'store', ...base, 'environment'],
  log: ['runtime', ...base],
  api: ['runtime', 'changes', 'alerts', ...base],
  runtime: [...core, ...base, 'projectFiles'],

  config: ['alerts', 'controller', 'agents', 'wording', 'prompt', 'masking', ...base],
  controller: ['prompt', ...base],
  agents: ['wording', 'prompt', ...base],
  wording: ['prompt', ...base],
  prompt: base,
  changes: ['alerts', ...base],
  alerts: base,
  search: base,
  evidence: ['schema', 'text', 'projectFiles'],

  // Errors of models and servers quote what was sent to them.
  llm: ['masking', ...base],
  tools: ['masking', ...base],
  store: base,
  runbooks: base,
  destinations: base,
  telemetry: base,

  masking: [...base, 'projectFiles'],

  contract: ['schema', 'text', 'errors'],
  schema: ['text', 'errors'],
  environment: ['errors', 'projectFiles'],
  projectFiles: [],
  text: [],
  errors: [],

  ...Object.fromEntries(packages.map((name) => [name, []])),
};

/** A large folder whose rooms have a table of their own. A room is a folder, or a file without `.ts`. */
interface SecondLevel {
  /** `shared/runtime/`. */
  folder: string;
  /** The rooms of `folder` that each room can import. The parts of one room can import each other. */
  mayImport: Record<string, string[]>;
  /** Rooms whose parts cannot import each other; only files directly in the room, its lists, import parts. */
  apart?: string[];
}

const SECOND_LEVELS: SecondLevel[] = [
  {
    folder: 'shared/runtime/',
    apart: ['features'],
    mayImport: {
      entry: ['deliveries', 'features', 'rescue', 'intake', 'iteration', 'alerts', 'kernel'],
      deliveries: ['features', 'kernel'],
      // Never a walk that gets features as a list: intake, an iteration, the sweep. People and reports start,
      // end and continue executions and sessions: approvals and questions with `stage`, incidents with
      // `session`.
      features: ['session', 'stage', 'agents', 'claims', 'views', 'alerts', 'tenants', 'kernel'],
      rescue: ['session', 'stage', 'kernel'],
      intake: ['session', 'stage', 'agents', 'alerts', 'tenants', 'kernel'],
      iteration: ['stage', 'kernel'],
      system: ['kernel'],
      session: ['stage', 'tenants', 'kernel'],
      stage: ['kernel'],
      claims: ['views', 'kernel'],
      agents: ['views', 'kernel'],
      views: ['alerts', 'tenants', 'kernel'],
      alerts: ['tenants', 'kernel'],
      access: ['kernel'],
      kernel: ['tenants'],
      tenants: [],
    },
  },
  {
    folder: 'shared/api/',
    mayImport: {
      createApi: ['allRoutes', 'pages', 'openai', 'limits', 'webhooks', 'http'],
      types: ['allRoutes', 'events', 'http'],
      allRoutes: ['mcp', 'routes', 'http'],
      mcp: ['routes', 'events', 'http'],
      routes: ['openai', 'webhooks', 'events', 'http'],
      openai: ['events', 'http'],
      events: ['http'],
      access: ['limits', 'http'],
      limits: ['http'],
      webhooks: ['http'],
      pages: ['http'],
      http: [],
      apiServer: [],
    },
  },
  {
    folder: 'cli/',
    mayImport: {
      cli: ['program'],
      program: ['commands', 'print', 'process'],
      commands: [
        'api',
        'alert',
        'deploy',
        'deployed',
        'google',
        'system',
        'knowledge',
        'migration',
        'erase',
        'catchUp',
        'init',
        'packs',
        'options',
        'print',
        'process',
      ],
      alert: ['api', 'options', 'print', 'process'],
      api: ['google', 'options', 'print', 'process'],
      knowledge: ['options', 'print', 'process'],
      deployed: ['deploy', 'google', 'migration'],
      catchUp: ['google'],
      erase: [],
      init: ['packs', 'process'],
      deploy: ['google', 'migration', 'process'],
      migration: ['options', 'print', 'process'],
      google: [],
      system: ['packs', 'process'],
      packs: ['process'],
      options: ['print', 'process'],
      print: ['process'],
      process: [],
    },
  },
];

/** No folder of these has more files, tests apart. */
const MAX_FILES = 20;

const WEB = 'web/src/';
const webBase = ['markdown', 'parts', 'model', 'api'];

/** What each folder of web/src/ may import of web/src/ besides itself; `.` is main.tsx. */
const WEB_MAY_IMPORT: Record<string, string[]> = {
  '.': [
    'agents',
    'api',
    'compare',
    'errors',
    'fates',
    'frame',
    'knowledge',
    'list',
    'messages',
    'parts',
    'rejected',
    'schedules',
    'session',
    'start',
    'styles',
    'system',
    'usage',
    'markdown',
  ],
  session: [
    'session/analysis',
    'session/side',
    'session/steps',
    'session/rows',
    'session/state',
    'words',
    'frame',
    ...webBase,
  ],
  'session/analysis': ['session/state', 'words', 'frame', ...webBase],
  'session/side': ['session/steps', 'session/state', 'frame', ...webBase],
  'session/steps': ['session/rows', 'session/state', 'words', ...webBase],
  'session/rows': ['session/samples', 'session/state', ...webBase],
  'session/samples': ['session/state', ...webBase],
  'session/state': ['frame', 'parts', 'model', 'api'],
  list: ['start', 'frame', ...webBase],
  compare: ['frame', ...webBase],
  errors: ['frame', ...webBase],
  start: ['words', 'frame', ...webBase],
  messages: ['frame', ...webBase],
  agents: ['words', 'frame', ...webBase],
  knowledge: ['frame', ...webBase],
  rejected: ['frame', ...webBase],
  schedules: ['frame', ...webBase],
  usage: ['frame', ...webBase],
  words: ['parts'],
  system: ['frame', ...webBase],
  fates: ['frame', ...webBase],
  frame: ['parts', 'model', 'api'],
  markdown: ['parts'],
  parts: ['model', 'api'],
  model: [],
  api: [],
  styles: [],
};

/** What web/src/ imports of the rest: types, texts, and modules that have no imports but types. */
const WEB_MAY_IMPORT_OUTSIDE = [
  'docs/errors.md?raw',
  'shared/api/types.ts',
  'shared/client/address.ts',
  'shared/client/apiError.ts',
  'shared/client/client.ts',
  'shared/client/followEvents.ts',
  'shared/client/routes.ts',
  'shared/alerts/alertLocation.ts',
  'shared/text/backOff.ts',
  'shared/text/commands.ts',
  'shared/api/events/eventDisplay.ts',
  'shared/api/pages/sessionReads.ts',
  'shared/config/csv.ts',
  'shared/evidence/calibration.ts',
  'shared/evidence/condition.ts',
  'shared/evidence/documents.ts',
  'shared/evidence/markUnchecked.ts',
  'shared/evidence/records/columns.ts',
  'shared/evidence/records/plainQuery.ts',
  'shared/evidence/searchText.ts',
  'shared/evidence/series.ts',
  'shared/evidence/tokens.ts',
  'shared/text/elicit.ts',
  'shared/text/json.ts',
  'shared/text/knownTotal.ts',
  'shared/text/omissionNote.ts',
  'shared/text/mechanisms.ts',
  'shared/text/outcomeWords.ts',
  'shared/text/problemWords.ts',
  'shared/text/shareText.ts',
  'shared/text/structuredAnswer.ts',
  'shared/text/times.ts',
  'shared/text/causeWords.ts',
  'shared/text/evidenceWords.ts',
  'shared/text/statedConfidence.ts',
  'shared/text/verdictWord.ts',
  'shared/text/webLink.ts',
];

/**
 * `shared/llm/gemini/client.ts` is in `llm`, `shared/errors.ts` in `errors`, `cli/cli.ts` in `cli`,
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
  if (engines.includes(to) && [...core, 'runtime', 'api'].includes(from)) {
    return broken(
      'the core knows no engine; let the engine put it into a type of contract/, or pass it as an argument',
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

/** `stage/start.ts` of `shared/runtime/` is in `stage`, `createApi.ts` of `shared/api/` in `createApi`. */
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

describe('the core', () => {
  const importsOfCore = (file: string, text: string): string[] =>
    importsOf(file, text)
      .map(({ specifier }) =>
        specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier,
      )
      .filter((target) => !CORE.test(target) && !CORE_IMPORTS.test(target));

  it('imports itself, zod, modules of Node and text/', () => {
    const found = files
      .filter((file) => CORE.test(file))
      .flatMap((file) =>
        importsOfCore(file, readFileSync(file, 'utf8')).map((target) => `${file} -> ${target}`),
      );
    expect(found).toEqual([]);
  });

  it.each(['pino', 'yaml', '../masking/guards.ts', '../runtime/features/live/feature.ts'])(
    'is checked for an import of %s',
    (specifier) => {
      expect(importsOfCore('shared/stage/a.ts', `import type { A } from '${specifier}';`)).toHaveLength(1);
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
    expect([...folders].filter(([, inside]) => inside.length > MAX_FILES).map(([name]) => name)).toEqual([]);
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

describe('the check itself', () => {
  const RUNTIME = SECOND_LEVELS.find(({ folder }) => folder === 'shared/runtime/') as SecondLevel;

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
      'shared/prompt/b.ts imports shared/llm/a.ts: the core knows no engine; let the engine put it into a type of contract/, or pass it as an argument',
    ]);
  });

  it.each([
    ['shared/store/a.ts', '../llm/b.ts', 'an engine knows no other engine'],
    [
      'shared/runtime/iteration/a.ts',
      '../../wiring/b.ts',
      'only functions, cli, local and deploy import wiring',
    ],
    [
      'shared/controller/a.ts',
      '../config/b.ts',
      'controller may import prompt, contract, schema, text, errors;',
    ],
    ['shared/text/a.ts', '../errors.ts', 'text may import nothing of ours'],
    ['shared/contract/a.ts', '../schema/b.ts', 'contract/ imports types alone'],
    ['shared/client/a.ts', '../api/b.ts', 'client/ imports types alone'],
    ['functions/a.ts', '../shared/store/b.ts', 'functions may import wiring,'],
    ['local/a.ts', '../test/support/b.ts', 'that file is for tests'],
    ['local/a.ts', '../packages/local-cloud/src/b.ts', 'of a package only src/index.ts is imported'],
    ['packages/local-cloud/src/a.ts', '../../../shared/errors.ts', 'may import nothing of ours'],
    ['packages/local-cloud/src/a.ts', '../../scripted-gemini/src/index.ts', 'may import nothing of ours'],
    ['shared/llm/a.ts', '../../packages/scripted-gemini/src/index.ts', 'llm may import masking,'],
    ['shared/llm/a.ts', './b.fixture.ts', 'that file is for tests'],
  ])('refuses that %s imports %s', (file, specifier, rule) => {
    expect(violationsOf(file, `import { b } from '${specifier}';`).join()).toContain(rule);
  });

  it.each([
    ['shared/runtime/iteration/a.ts', '../stage/b.ts'],
    ['shared/controller/a.ts', '../prompt/b.ts'],
    ['shared/wiring/a.ts', '../llm/b.ts'],
    ['cli/a.ts', '../local/b.ts'],
    ['shared/llm/a.ts', 'zod'],
  ])('allows that %s imports %s', (file, specifier) => {
    expect(violationsOf(file, `import { b } from '${specifier}';`)).toEqual([]);
  });

  it.each([
    ['kernel/execution/a.ts', '../../features/live/b.ts', 'kernel/execution/a.ts -> features/live/b.ts'],
    ['features/chat/a.ts', '../live/b.ts', 'features/chat/a.ts -> features/live/b.ts'],
    ['stage/a.ts', '../iteration/ask/b.ts', 'stage/a.ts -> iteration/ask/b.ts'],
  ])('refuses that %s of runtime/ imports the type of %s', (file, specifier, found) => {
    const pairs = importsInside(
      RUNTIME.folder,
      `${RUNTIME.folder}${file}`,
      `import type { B } from '${specifier}';`,
    );
    expect(pairViolations(RUNTIME, pairs)).toEqual([found]);
  });

  it.each([
    ['iteration/ask/a.ts', '../answer/b.ts'],
    ['features/chat/a.ts', '../../stage/b.ts'],
    ['kernel/tools/a.ts', '../deps.ts'],
  ])('allows that %s of runtime/ imports %s', (file, specifier) => {
    const pairs = importsInside(RUNTIME.folder, `${RUNTIME.folder}${file}`, `import '${specifier}';`);
    expect(pairViolations(RUNTIME, pairs)).toEqual([]);
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
