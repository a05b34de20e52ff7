// A command that calls the API: a row with its name, its route and how the answer is printed.

import type { Argument, Command, Option } from 'commander';
import type { Unreadable } from '../../shared/core/schema/readable.ts';
import type { RoutesMap } from '../../shared/lists/routes.ts';
import { asObject } from '../../shared/text/json.ts';
import { jsonOption, SESSION_ARGUMENT, tenantOption, urlOption } from '../options/commandOptions.ts';
import { ParameterOption } from '../options/parameterOption.ts';
import { DATABASE_HELP, SYSTEM_HELP } from '../options/project.ts';
import { escapeHidden, report, reportUnreadable, write } from '../process/output.ts';
import type { ApiClient } from './apiClient.ts';
import type { withApi } from './withApi.ts';

type AddCommand = (program: Command) => void;

/** The API for one run of a command. */
export interface Call {
  api: ApiClient;
  signal: AbortSignal;
  /** The session that the first argument names; empty for a command without one. */
  sessionId: string;
  /** The values of the arguments, by name, in their order. */
  args: Readonly<Record<string, string>>;
  /** The values of the options that are parameters of the route. */
  parameters: Sent;
  /** The values of the options, by name. */
  options: Readonly<Record<string, unknown>>;
}

/** The work of a command after its arguments and options were read. */
export interface Work {
  /**
   * Whether it changes something, so that the caller has the name of `--by` or of the user of this machine.
   */
  acts?: boolean;
  /** Requirements of the API that differ from the options, and whether messages are published. */
  needs?: Partial<Parameters<typeof withApi>[0]>;
  run(call: Call): Promise<void>;
}

/** A route, by method and path. */
type RouteKey = keyof RoutesMap & string;
/** The answer of a route as JSON. */
export type Answer<R extends RouteKey> = RoutesMap[R]['answer'];

/** One or several lines for people. */
type Lines = string | readonly string[];

/** The parameters of a request by name. */
type Sent = Readonly<Record<string, unknown>>;

interface Request<R extends RouteKey> {
  route: R;
  /** Values of the path behind the session. Default: the arguments, in their order. */
  path?: readonly string[];
  /** Parameters of the query or the body besides the options that are parameters. Default: none. */
  send?(call: Call): Sent | Promise<Sent>;
  /**
   * A list in the answer that is read from all pages, at most as many elements as the option `limit`. Absent:
   * one answer.
   */
  pages?: keyof Answer<R>;
  /** The largest page. Default: 200, which every list has. */
  pageSize?: number;
  /**
   * The list of which `--json` prints one element a line: a field of the answer, or made of it. Absent: one
   * line.
   */
  items?: keyof Answer<R> | ((answer: Answer<R>) => readonly object[]);
  /** The JSON of an answer. Default: the answer. */
  toJson?(answer: Answer<R>, call: Call, sent: Sent): object | Promise<object>;
  /** The lines for people. */
  print(answer: Answer<R>, call: Call, sent: Sent): Lines | Promise<Lines>;
  /** Lines for people on standard error, also with `--json`. Default: none. */
  notes?(answer: Answer<R>, call: Call): readonly string[];
}

/** The parts of a command that its help is made of. */
interface Head {
  name: string;
  /** One line, for a command of a group. program.ts has those of the others. */
  description?: string;
  /** Arguments behind the session, which comes first if the path of the route has one. */
  args?: readonly Argument[];
  /**
   * Options. `--tenant` and `--url` stand before them and `--json` behind them, unless they are among these.
   */
  options?: readonly Option[];
  /** The help of `--json`. Default: one object a line. */
  json?: string;
  /** Text behind the options, before the variables that name the database or the system. */
  help?: string;
  /** Whether it publishes messages, so that its help names Pub/Sub's variables. Default: false. */
  publishes?: boolean;
}

interface RouteRow<R extends RouteKey, O extends object> extends Head, Request<R> {
  /** Requirements of the API that follow from the options. Default: none. @throws UsageError */
  needs?(options: O): Work['needs'];
}

/** A command whose arguments and options decide its work. */
interface PlannedRow<A extends unknown[], O extends object> extends Head {
  /** Reads arguments and options before the API is opened. @throws UsageError */
  plan(args: A, options: O): Work | Promise<Work>;
}

/** Work that sends one request and prints its answer. */
export function request<R extends RouteKey>(row: Request<R>, needs: Work['needs'] = {}): Work {
  const { route, path, send, items, toJson, print, notes } = row;
  const [method, template = ''] = route.split(' ');
  return {
    acts: method === 'POST',
    needs,
    async run(call) {
      const given = [...(path ?? Object.values(call.args).slice(call.sessionId === '' ? 0 : 1))];
      const inPath = Object.fromEntries(
        Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = '']) => [
          name,
          name === 'sessionId' ? call.sessionId : (given.shift() ?? ''),
        ]),
      );
      const sent = { ...call.parameters, ...(await send?.(call)) };
      const answer = await (row.pages === undefined
        ? readAnswer(row, inPath, sent, call)
        : readPages(row, inPath, sent, call));
      if (!call.options.json) printLines(await print(answer, call, sent));
      else if (items === undefined) printLines(jsonLine((await toJson?.(answer, call, sent)) ?? answer));
      else
        printLines((typeof items === 'function' ? items(answer) : (answer[items] as object[])).map(jsonLine));
      notes?.(answer, call).forEach(report);
      const { next = null } = answer as { next?: string | null };
      if (row.pages !== undefined && next !== null) report(`more: --after ${escapeHidden(next)}`);
    },
  };
}

/** Sends the request, and reports the documents that could not be read. */
async function readAnswer<R extends RouteKey>(
  { route }: Request<R>,
  inPath: Sent,
  sent: Sent,
  { api }: Call,
): Promise<Answer<R>> {
  const [method, path] = route.split(' ') as ['GET' | 'POST', never];
  const answer: Answer<R> = await (method === 'GET'
    ? api.get(path, { ...inPath, ...sent } as never)
    : api.post(path, inPath as never, sent as never));
  const { unreadable = [] } = asObject(answer) as { unreadable?: Unreadable[] };
  unreadable.forEach(reportUnreadable);
  return answer;
}

const PAGE_SIZE = 200;
/** Pages of a list with fewer elements than asked for. */
const MAX_SHORT_PAGES = 20;

/** Sends the request for each page. The answer is the last one, with the elements of all. */
async function readPages<R extends RouteKey>(
  row: Request<R>,
  inPath: Sent,
  sent: Sent,
  call: Call,
): Promise<Answer<R>> {
  const list = row.pages as keyof Answer<R>;
  const found: unknown[] = [];
  const { limit, after: first } = { ...call.options, ...sent } as { limit?: number; after?: string };
  let shortPages = 0;
  for (let after = first; ; ) {
    const size = limit && Math.min(row.pageSize ?? PAGE_SIZE, limit - found.length);
    const page = await readAnswer(row, inPath, { ...sent, after, limit: size }, call);
    const elements = page[list] as unknown[];
    found.push(...elements);
    const { next } = page as { next: string | null };
    // A page that is not full has read its part; after many the user decides whether to continue.
    if (size !== undefined && elements.length < size) shortPages++;
    const isEnd = found.length === limit || shortPages === MAX_SHORT_PAGES;
    if (next === null || isEnd) return { ...(page as object), [list]: found } as Answer<R>;
    after = next;
  }
}

/** The lines, or a text in place of no lines. */
export const linesOr = (lines: readonly string[], text: string): readonly string[] =>
  lines.length === 0 ? [text] : lines;

/** Prints the lines of a result. */
export function printLines(lines: Lines): void {
  for (const line of [lines].flat()) write(line);
}

/** A value as a line of JSON. */
export const jsonLine = (value: unknown): string => escapeHidden(JSON.stringify(value));

/** The function that adds a command for one route. */
export function command<R extends RouteKey, O extends object>(row: RouteRow<R, O>): AddCommand {
  const isOfSession = row.route.includes(' /v1/sessions/{sessionId}');
  const args = [...(isOfSession ? [SESSION_ARGUMENT] : []), ...(row.args ?? [])];
  return plannedCommand({ ...row, args, plan: (_, options: O) => request(row, row.needs?.(options)) });
}

/** The function that adds a command for several routes. */
export function plannedCommand<A extends unknown[], O extends object>(row: PlannedRow<A, O>): AddCommand {
  const { name, description = '', args = [], help = '', publishes = false } = row;
  const options = withCommonOptions(row);
  return (program) => {
    const own = program.command(name).description(description);
    own.addHelpText('after', `${help}${publishes ? SYSTEM_HELP : DATABASE_HELP}`);
    for (const one of args) own.addArgument(one);
    for (const one of options) own.addOption(one);
    own.action(async () => {
      const values = own.processedArgs;
      const given = own.opts();
      const { acts, needs, run } = await row.plan(values as A, given as O);
      // Loaded here, so that the help needs neither the client of the API nor masking.
      const [{ withApi }, { readName }] = await Promise.all([
        import('./withApi.ts'),
        import('../options/readLine.ts'),
      ]);
      const by = (acts || options.some((one) => one.attributeName() === 'by')) && { by: readName(given.by) };
      await withApi({ ...given, publishes, ...by, ...needs }, async (api, signal) => {
        const isOfSession = args[0]?.name() === 'session' && values[0] !== undefined;
        const sessionId = isOfSession ? await api.findSession(values[0]) : '';
        const named = args.map((one, index) => [one.name(), values[index]]);
        const parameters = Object.fromEntries(
          options.flatMap((one) =>
            one instanceof ParameterOption ? [[one.attributeName(), given[one.attributeName()]]] : [],
          ),
        );
        await run({ api, signal, sessionId, args: Object.fromEntries(named), parameters, options: given });
      });
    });
  };
}

/** Options in the order of the help. */
function withCommonOptions({ options = [], json }: Head): Option[] {
  const has = (name: string) => options.some((one) => one.attributeName() === name);
  return [
    ...(has('url') ? [] : [tenantOption(), urlOption()]),
    ...options,
    ...(has('json') ? [] : [jsonOption(json)]),
  ];
}

/** The function that adds a command that only groups others. */
export const groupCommand =
  (name: string, help: string, commands: readonly AddCommand[]): AddCommand =>
  (program) => {
    const group = program.command(name).addHelpText('after', help);
    for (const add of commands) add(group);
  };
