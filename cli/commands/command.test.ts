import { Command, Option } from 'commander';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { defineRoute } from '../../shared/api/http/route.ts';
import { findRoute, parameterOption } from '../options/route.ts';
import { command } from './command.ts';

const row = z.strictObject({ id: z.string() });
const routes = [
  defineRoute({
    method: 'get',
    path: '/v1/things/{box}',
    id: 'listThings',
    summary: 'Things in a box',
    role: 'viewer',
    params: z.strictObject({ box: z.string() }),
    query: z.strictObject({
      color: z.enum(['red', 'green', 'blue']).optional(),
      size: z.string().optional().describe('Size of a thing. Default: any'),
      limit: z.coerce.number<number>().int().min(1).max(2).default(1).describe('How many'),
      after: z.string().optional(),
    }),
    status: 200,
    answer: z.strictObject({ things: z.array(row), next: z.string().nullable() }),
    handle: () => Promise.reject(new Error('not called')),
  }),
];
const LIST = findRoute(routes, 'GET /v1/things/{box}');

/** The program with a command for the route, its requests, and its output. */
function start(pages: object[], limit = parameterOption(LIST, 'limit')) {
  const asked: string[] = [];
  const written: string[] = [];
  vi.stubGlobal('fetch', async (url: URL) => {
    asked.push(`${url.pathname}${url.search}`);
    return Response.json(pages.shift());
  });
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  onTestFinished(() => void vi.unstubAllGlobals());
  onTestFinished(() => void vi.restoreAllMocks());
  const program = new Command('inquest').exitOverride().configureOutput({ writeErr: () => {} });
  const options = [
    parameterOption(LIST, 'color', '--color <color>'),
    parameterOption(LIST, 'size', '--size <size>'),
    limit,
  ];
  const args = [program.createArgument('<box>', 'the box')];
  const print = ({ things }: { things: { id: string }[] }) => things.map(({ id }) => `thing ${id}`);
  command({ name: 'things', args, options, route: LIST, pages: 'things', items: 'things', print })(program);
  return {
    asked,
    written,
    help: () => program.commands[0]?.helpInformation() ?? '',
    run: (...given: string[]) =>
      program.parseAsync(['things', '--url', 'http://127.0.0.1:1', ...given], { from: 'user' }),
  };
}

it('an option that is a parameter has the help, the limit and the default of the route', async () => {
  const { help, run } = start([]);
  expect(help()).toMatch(/--color <color> +red, green or blue\n/);
  expect(help()).toMatch(/--size <size> +size of a thing \(default: any\)\n/);
  expect(help()).toMatch(/--limit <number> +how many, 1 to 2 \(default: 1\)\n/);
  await expect(run('a', '--limit', '3')).rejects.toThrow('It is a number from 1 to 2.');
});

it('arguments fill the path, options the query, and pages are read up to the limit', async () => {
  const pages = [
    { things: [{ id: 'a' }, { id: 'b' }], next: 'b' },
    { things: [{ id: 'c' }], next: 'c' },
  ];
  const { asked, written, run } = start(pages, new Option('--limit <number>').argParser(Number));
  await run('a/b', '--color', 'red', '--limit', '3');
  expect(asked).toEqual(['/v1/things/a%2Fb?color=red&limit=2', '/v1/things/a%2Fb?color=red&limit=1&after=b']);
  expect(written).toEqual(['thing a\n', 'thing b\n', 'thing c\n']);
});

it('with --json, each element is a line, and characters that a terminal obeys are escaped', async () => {
  const { written, run } = start([{ things: [{ id: 'a' }, { id: '\u009b1A' }], next: null }]);
  await run('a', '--limit', '2', '--json');
  expect(written).toEqual(['{"id":"a"}\n', '{"id":"\\u009b1A"}\n']);
});
