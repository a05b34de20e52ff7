// The layers of the code: which room may import which. A room is a top folder, a folder of shared/ or a single file of
// shared/. Tests and fixtures are free; everything else follows the table, also for types.

import { globSync, readFileSync } from 'node:fs';
import { posix as path } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../test/support/sourceImports.ts';

const base = ['contract', 'schema', 'text', 'errors'];
const core = ['controller', 'prompt', 'masking', 'alerts', 'config', 'agents', 'search'];
const engines = ['llm', 'tools', 'store', 'runbooks'];
const belowWiring = ['api', 'runtime', ...core, ...engines, ...base, 'log', 'environment'];

/** What each room may import besides itself. Every import points down this table. */
const MAY_IMPORT: Record<string, string[]> = {
  cli: ['local', 'deploy', 'functions', 'wiring', ...belowWiring],
  local: ['deploy', 'functions', 'wiring', ...belowWiring],
  deploy: ['functions', 'wiring', ...belowWiring],
  functions: ['wiring', 'api', 'runtime', ...base, 'log'],

  wiring: belowWiring,
  api: ['runtime', ...base, 'log'],
  runtime: [...core, ...base, 'log'],

  config: ['controller', 'prompt', 'masking', ...base],
  controller: ['prompt', ...base],
  agents: ['prompt', ...base],
  prompt: base,
  alerts: base,
  search: base,

  // Errors of models and servers quote what was sent to them.
  llm: ['masking', ...base],
  tools: ['masking', ...base],
  store: base,
  runbooks: base,

  masking: base,

  contract: ['schema', 'text', 'errors'],
  schema: ['text', 'errors'],
  environment: ['errors'],
  log: [],
  text: [],
  errors: [],
};

/** `shared/llm/gemini/client.ts` is in `llm`, `shared/errors.ts` in `errors`, `cli/cli.ts` in `cli`. */
function roomOf(file: string): string {
  const [top = '', next = ''] = file.split('/');
  return top === 'shared' ? next.replace(/\.ts$/, '') : top;
}

const isForTests = (file: string): boolean => /\.(test|fixture)\.ts$/.test(file) || file.startsWith('test/');

/** What is wrong with a file that imports another file of ours, in one sentence with the fix; undefined if nothing is. */
function violation(file: string, target: string, typeOnly: boolean): string | undefined {
  const [from, to] = [roomOf(file), roomOf(target)];
  const broken = (rule: string) => `${file} imports ${target}: ${rule}`;
  if (isForTests(target)) {
    return broken('that file is for tests; move what is needed into a file of its own');
  }
  if (from === 'contract' && from !== to && !typeOnly) {
    return broken(
      'contract/ imports types alone; write `import type`, or move the value into schema/ or text/',
    );
  }
  if (from === to || MAY_IMPORT[from]?.includes(to)) return undefined;
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

const files = globSync('{functions,cli,local,deploy,shared}/**/*.ts', { exclude: ['**/node_modules'] })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !isForTests(file));

describe('layers', () => {
  it('knows every room', () => {
    const rooms = new Set([...files.map(roomOf), ...Object.values(MAY_IMPORT).flat()]);
    expect([...rooms].filter((room) => MAY_IMPORT[room] === undefined)).toEqual([]);
  });

  it('lists a room above all it may import, so that rooms form no circle', () => {
    const rooms = Object.keys(MAY_IMPORT);
    const isBelow = (room: string, index: number) => rooms.indexOf(room) > index;
    expect(rooms.filter((room, index) => !MAY_IMPORT[room]?.every((to) => isBelow(to, index)))).toEqual([]);
  });

  it.each(Object.keys(MAY_IMPORT))('%s imports only what it may', (room) => {
    const own = files.filter((file) => roomOf(file) === room);
    expect(own.flatMap((file) => violationsOf(file, readFileSync(file, 'utf8')))).toEqual([]);
  });
});

describe('the check itself', () => {
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
    ['functions/a.ts', '../shared/store/b.ts', 'functions may import wiring,'],
    ['local/a.ts', '../test/support/b.ts', 'that file is for tests'],
    ['shared/llm/a.ts', './b.fixture.ts', 'that file is for tests'],
  ])('refuses that %s imports %s', (file, specifier, rule) => {
    expect(violationsOf(file, `import { b } from '${specifier}';`).join()).toContain(rule);
  });

  it.each([
    ['shared/runtime/iteration/a.ts', '../session/b.ts'],
    ['shared/controller/react/a.ts', '../../prompt/b.ts'],
    ['shared/wiring/a.ts', '../llm/b.ts'],
    ['cli/a.ts', '../local/b.ts'],
    ['shared/llm/a.ts', 'zod'],
  ])('allows that %s imports %s', (file, specifier) => {
    expect(violationsOf(file, `import { b } from '${specifier}';`)).toEqual([]);
  });
});
