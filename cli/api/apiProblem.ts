// Turns problems of the API into errors that name options and commands instead of fields and routes.

import { type Fault, type ProblemDetails, type Remedy, SEND_AGAIN } from '../../shared/api/http/problem.ts';
import { ApiError } from '../../shared/client/apiError.ts';
import { UsageError } from '../process/usageError.ts';

/** Codes that are left out, because the message alone is sufficient. */
const WITHOUT_CODE = new Set(['NOT_FOUND', 'REQUEST_INVALID', 'SESSION_STATE', 'SESSION_UNKNOWN']);

/** Codes of problems whose detail names a missing object. */
const MISSING = new Set(['NOT_FOUND', 'SESSION_UNKNOWN']);
/** The field with the text of an agent's file. */
const AGENT_FILE = 'body.yaml';

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

/** The commands for operations of the API. */
const REMEDIES: Record<Remedy, string> = {
  cancelSession: 'inquest cancel',
  startSession: 'inquest start-deferred',
  tellSession: 'inquest guide',
};

/**
 * The error in the words of the command line; a UsageError when the request was invalid.
 * @param where the address or database of the API, for people.
 */
export function explainProblem({ code, status, path, details }: ApiError, where: string): Error {
  if (details === undefined)
    return new ApiError(code, `the API answered with status ${status}: is it Inquest's?`, status, path);
  const { errors = [] } = details;
  const text = errors.length > 0 ? errors.map(faultLine).join('\n') : detailText(details, path, where);
  const named = text.replace(/GET \/v1\/[a-z]+/g, (route) =>
    COMMANDS[route] ? `\`${COMMANDS[route]}\`` : route,
  );
  // An agent with faults is a failed check of a file, as in `agents validate`, and no wrong usage.
  if (code === 'REQUEST_INVALID' && errors[0]?.field !== AGENT_FILE) return new UsageError(named);
  return new ApiError(code, WITHOUT_CODE.has(code) ? named : `${code}: ${named}`, status, path, details);
}

/** A fault with the option that sets its field. The fault of a file names its place. */
function faultLine({ field, message }: Fault): string {
  if (field === AGENT_FILE) return message;
  const [, name] = /^(?:query|body|path)\.(\w+)(?:\.\d+)?$/.exec(field) ?? [];
  return `${FIELDS[field] ?? (name === undefined ? field : `--${name}`)}: ${message}`;
}

function detailText({ code, detail, remedy }: ProblemDetails, path: string, where: string): string {
  const [, session = 'SESSION'] = /\/sessions\/([^/]+)/.exec(path) ?? [];
  // A newer API can name other operations.
  const command = remedy && REMEDIES[remedy];
  // The remedy follows the semicolon.
  const placed = MISSING.has(code) ? detail.replace(';', ` in ${where};`) : detail;
  const text = placed.replace(SEND_AGAIN, 'Run the same command again.');
  return command === undefined ? text : `${text} with \`${command} ${session}\``;
}
