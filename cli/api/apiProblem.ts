// Turns problems of the API into errors that name options and commands instead of fields and routes.

import { isObject } from '../../shared/text/json.ts';
import { UsageError } from '../process/usageError.ts';

/** Codes that are left out, because the message alone is sufficient. */
const WITHOUT_CODE = new Set(['NOT_FOUND', 'REQUEST_INVALID', 'SESSION_STATE', 'SESSION_UNKNOWN']);

/** Request fields whose option has a different name. */
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

/** Ends of sentences that ask for an action, and the command that performs it. */
const FIXES = [
  [/give its agents guidance$/, 'inquest guide'],
  [/(?:until|before) it is started$/, 'inquest start-deferred'],
  [/or cancel (?:it|the one it answers)$/, 'inquest cancel'],
] as const;

/** A request was refused by the API. */
export class ApiProblem extends Error {
  /** As in docs/errors.md. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The error for a response that is not ok; a UsageError when the request was invalid.
 * @param where the address or database of the API, for people.
 */
export async function problemOf(response: Response, where: string): Promise<Error> {
  const body: unknown = await response.json().catch(() => undefined);
  if (!isObject(body) || typeof body.code !== 'string')
    return new Error(`the API answered ${response.status} ${response.statusText}: is it Inquest's?`);
  const { code, detail, errors } = body;
  const lines = Array.isArray(errors) && errors.length > 1 ? errors.map(lineOf) : [String(detail)];
  const text = lines.map((line) => inWordsOfCommands(line, where)).join('\n');
  // An agent with faults is a failed check of a file, as in `agents validate`, and no wrong usage.
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
