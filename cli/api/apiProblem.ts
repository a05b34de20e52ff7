// What the API refuses, in the words of the command line.

import { isObject } from '../../shared/text/json.ts';
import { UsageError } from '../process/usageError.ts';

/** These sentences say all that the code would. */
const WITHOUT_CODE = new Set(['NOT_FOUND', 'REQUEST_INVALID', 'SESSION_STATE', 'SESSION_UNKNOWN']);

/** Fields of requests that are not options of the same name. */
const FIELDS: Record<string, string> = {
  'query.q': '--text',
  'body.text': 'the text',
  'path.sessionId': 'the session',
};

const COMMANDS: Record<string, string> = {
  'GET /v1/sessions': 'inquest list',
  'GET /v1/approvals': 'inquest approvals',
  'GET /v1/agents': 'inquest agents list',
  'GET /v1/knowledge': 'inquest knowledge list',
};

/** What a sentence asks for, and the command that does it. */
const FIXES = [
  [/give its agents guidance$/, 'inquest guide'],
  [/(?:until|before) it is started$/, 'inquest start-deferred'],
  [/or cancel (?:it|the one it answers)$/, 'inquest cancel'],
] as const;

/** That the API refused a request. */
export class ApiProblem extends Error {
  /** As in docs/errors.md. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The error that an answer stands for: UsageError where the request was wrong.
 * @param where what the API works on, for people.
 */
export async function problemOf(response: Response, where: string): Promise<Error> {
  const body: unknown = await response.json().catch(() => undefined);
  if (!isObject(body) || typeof body.code !== 'string')
    return new Error(`the API answered ${response.status} ${response.statusText}: is it Inquest's?`);
  const { code, detail, errors } = body;
  const lines = Array.isArray(errors) && errors.length > 1 ? errors.map(lineOf) : [String(detail)];
  const text = lines.map((line) => inWordsOfCommands(line, where)).join('\n');
  // An agent with faults is a file that failed its check, as in `agents validate`.
  if (code === 'REQUEST_INVALID' && !lines[0]?.startsWith('body.yaml')) return new UsageError(text);
  return new ApiProblem(code, WITHOUT_CODE.has(code) ? text : `${code}: ${text}`);
}

function lineOf(fault: unknown): string {
  return isObject(fault) ? `${String(fault.field)}: ${String(fault.message)}` : String(fault);
}

function inWordsOfCommands(text: string, where: string): string {
  const [, fix] = FIXES.find(([end]) => end.test(text)) ?? [];
  const [, session = 'SESSION'] = /\bsession (\S+)/.exec(text) ?? [];
  return `${text}${fix === undefined ? '' : ` with \`${fix} ${session}\``}`
    .replace(/^body\.yaml: /, '')
    .replace(/^there is no \S+ \S+(?=;)/, (nothing) => `${nothing} in ${where}`)
    .replace(/^(?:query|body|path)\.(\w+)/, (field, name) => FIELDS[field] ?? `--${name}`)
    .replace(/GET \/v1\/[a-z]+/g, (route) => (COMMANDS[route] ? `\`${COMMANDS[route]}\`` : route))
    .replace(/ Send the request again\.$/, ' Run the same command again.');
}
