import { readFileSync } from 'node:fs';
import { posix as path } from 'node:path';
import { Command, Option } from 'commander';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { defineRoute } from '../../shared/api/http/route.ts';
import { ParameterOption, parameterOption } from '../options/parameterOption.ts';
import { command } from './command.ts';

const ROUTES = [
  defineRoute({
    method: 'get',
    path: '/v1/things',
    id: 'listThings',
    summary: 'Things',
    role: 'viewer',
    query: z.strictObject({
      color: z.enum(['red', 'green', 'blue']).optional(),
      size: z.string().optional().describe('Size of a thing. Default: any'),
      limit: z.coerce.number<number>().int().min(1).max(2).default(1).describe('How many'),
    }),
    status: 200,
    answer: z.strictObject({}),
    handle: () => Promise.reject(new Error('not called')),
  }),
];

/** The program with a command that has these options, its requests, and its output. */
function start(options: Option[], pages: object[] = []) {
  const asked: string[] = [];
  const written: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url.replace(/^http:..[^/]*/, ''));
    return Response.json(pages.shift());
  });
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  onTestFinished(() => void vi.unstubAllGlobals());
  onTestFinished(() => void vi.restoreAllMocks());
  const program = new Command('inquest').exitOverride().configureOutput({ writeErr: () => {} });
  command({
    name: 'usage',
    args: [program.createArgument('<by>', 'the grouping')],
    options,
    route: 'GET /v1/usage/{by}',
    pages: 'usage',
    pageSize: 2,
    items: 'usage',
    print: ({ usage }) => usage.map(({ key }) => `row ${key}`),
  })(program);
  return {
    asked,
    written,
    help: () => program.commands[0]?.helpInformation() ?? '',
    run: (...given: string[]) =>
      program.parseAsync(['usage', '--url', 'http://127.0.0.1:1', ...given], { from: 'user' }),
  };
}

it('an option that is a parameter has the help, the limit and the default of the route', async () => {
  const { help, run } = start([
    parameterOption(ROUTES, 'GET /v1/things', 'color', '--color <color>'),
    parameterOption(ROUTES, 'GET /v1/things', 'size', '--size <size>'),
    parameterOption(ROUTES, 'GET /v1/things', 'limit'),
  ]);
  expect(help()).toMatch(/--color <color> +red, green or blue\n/);
  expect(help()).toMatch(/--size <size> +size of a thing \(default: any\)\n/);
  expect(help()).toMatch(/--limit <number> +how many, 1 to 2 \(default: 1\)\n/);
  await expect(run('a', '--limit', '3')).rejects.toThrow('It is a number from 1 to 2.');
});

it('arguments fill the path, options that are parameters the query, and pages are read up to the limit', async () => {
  const pages = [
    { usage: [{ key: 'a' }, { key: 'b' }], next: 'b' },
    { usage: [{ key: 'c' }], next: 'c' },
  ];
  const options = [
    new ParameterOption('--color <color>'),
    new ParameterOption('--limit <number>').argParser(Number),
    new Option('--other <text>'),
  ];
  const { asked, written, run } = start(options, pages);
  await run('a/b', '--color', 'red', '--limit', '3', '--other', 'x');
  expect(asked).toEqual(['/v1/usage/a%2Fb?color=red&limit=2', '/v1/usage/a%2Fb?color=red&limit=1&after=b']);
  expect(written).toEqual(['row a\n', 'row b\n', 'row c\n']);
});

it('with --json, each element is a line, and characters that a terminal obeys are escaped', async () => {
  const { written, run } = start([], [{ usage: [{ key: 'a' }, { key: '\u009b1A' }], next: null }]);
  await run('a', '--json');
  expect(written).toEqual(['{"key":"a"}\n', '{"key":"\\u009b1A"}\n']);
});

/** The files that a module loads with itself; not those that it loads later. */
function listLoaded(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const imports = /^(?:import|export) (?!type\b)[^;]*?from '(\.[^']+)'/gm;
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(imports))
    listLoaded(path.join(path.dirname(file), target), loaded);
  return loaded;
}

it.each([
  'features/agents/agents',
  'features/chat/ask',
  'features/knowledge/knowledge',
  'commands/send',
  'commands/session/watch',
])('the help of %s loads neither services, configuration nor adapters of alerts', (name) => {
  const loaded = [...listLoaded(`cli/${name}.ts`)];
  expect(loaded).toContain('cli/api/command.ts');
  const heavy = /^shared\/(?:wiring\/|config\/load|alerts\/index|api\/createApi)/;
  expect(loaded.filter((file) => heavy.test(file))).toEqual([]);
});
