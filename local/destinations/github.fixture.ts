// A stand-in for GitHub's REST API: issues of one repository and their comments. Each behaviour names its
// source below https://docs.github.com/rest/. Texts of errors are those of GitHub, from memory; none was
// recorded.

import { asObject, asText } from '../../shared/text/json.ts';
import { serveWire, type Wire, type WireAnswer, type WireRequest } from './wire.fixture.ts';

/** GitHub answers 422 for a longer body: "body is too long (maximum is 65536 characters)". */
const MAX_BODY = 65_536;
/** GitHub answers 422 for a longer title: "title is too long (maximum is 256 characters)". */
const MAX_TITLE = 256;
/** rate-limits-for-the-rest-api: "no more than 80 content-generating requests" a minute. */
const WRITES_A_MINUTE = 80;

interface Comment {
  id: number;
  body: string;
  createdAt: number;
  updatedAt: number;
}

/** An issue. */
interface StandInIssue extends Comment {
  number: number;
  title: string;
  labels: string[];
  comments: Comment[];
}

/** A stand-in that runs. */
export interface StandInGithub extends Wire {
  issues: StandInIssue[];
}

/** How the stand-in behaves. */
export interface GithubOptions {
  /** `owner/name`. */
  repository: string;
  /** Tokens, and whether each can write issues. */
  tokens: Record<string, { canWrite: boolean }>;
  hasIssues?: boolean;
  isArchived?: boolean;
  /** Time in milliseconds since 1970. Default: the clock of this machine. */
  now?: () => number;
  /** How long an accepted issue or comment stays invisible, in milliseconds. Default: 0. */
  invisibleMs?: () => number;
  port?: number;
}

/** Starts the stand-in. */
export async function startGithub(options: GithubOptions): Promise<StandInGithub> {
  const { repository, tokens, hasIssues = true, isArchived = false, now = Date.now, port } = options;
  const { invisibleMs = () => 0 } = options;
  const issues: StandInIssue[] = [];
  const visibleAt = new Map<object, number>();
  const writes: number[] = [];
  let lastId = 1_000;

  function answer(request: WireRequest): WireAnswer {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const rights = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
    if (rights === undefined) return fault(401, 'Bad credentials');
    const [, owner, name, rest = ''] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(request.path) ?? [];
    // using-the-rest-api/troubleshooting-the-rest-api: 404 also for a repository that the token cannot see.
    if (`${owner}/${name}` !== repository) return fault(404, 'Not Found');
    if (rest === '')
      return { status: 200, body: { full_name: repository, has_issues: hasIssues, archived: isArchived } };
    // issues/issues#create-an-issue: 410 where issues are disabled.
    if (!hasIssues) return fault(410, 'Issues has been disabled in this repository.');
    return request.method === 'GET' ? list(rest, request) : write(rest, request, rights.canWrite);
  }

  const isVisible = (entry: object): boolean => (visibleAt.get(entry) ?? 0) <= now();

  function list(rest: string, { query }: WireRequest): WireAnswer {
    const perPage = Math.min(100, Number(query.get('per_page') ?? 30));
    const since = Date.parse(query.get('since') ?? '') || 0;
    const page = Number(query.get('page') ?? 1);
    const pageOf = <T extends Comment>(all: T[]): T[] =>
      all
        .filter((entry) => isVisible(entry) && entry.updatedAt >= since)
        .slice((page - 1) * perPage, page * perPage);
    if (rest === '/issues') {
      // issues/issues#list-repository-issues: sorted by creation, newest first unless `direction=asc`.
      const sorted = query.get('direction') === 'asc' ? issues : issues.toReversed();
      return { status: 200, body: pageOf(sorted).map(shownIssue) };
    }
    const issue = issueOf(rest, /^\/issues\/(\d+)\/comments$/);
    if (issue === undefined) return fault(404, 'Not Found');
    // issues/comments#list-issue-comments: "Issue comments are ordered by ascending ID.", no other order.
    return { status: 200, body: pageOf(issue.comments).map(shown) };
  }

  function write(rest: string, request: WireRequest, canWrite: boolean): WireAnswer {
    if (!canWrite) return fault(403, 'Resource not accessible by personal access token');
    if (isArchived) return fault(403, 'Repository was archived so is read-only.');
    writes.push(now());
    if (writes.filter((at) => at > now() - 60_000).length > WRITES_A_MINUTE)
      // rate-limits-for-the-rest-api: 403 or 429 with `retry-after`.
      return fault(403, 'You have exceeded a secondary rate limit.', { 'retry-after': '60' });
    const { title, body = '', labels = [] } = asObject(request.body);
    const text = asText(body) ?? '';
    if (text.length > MAX_BODY || (asText(title) ?? '').length > MAX_TITLE)
      return fault(422, 'Validation Failed');
    if (request.method === 'POST' && rest === '/issues') {
      if (asText(title) === undefined) return fault(422, 'Validation Failed');
      const number = issues.length + 1;
      const issue = {
        ...entryOf(text),
        number,
        title: String(title),
        labels: labels as string[],
        comments: [],
      };
      issues.push(hide(issue));
      return { status: 201, body: shownIssue(issue) };
    }
    const issue = issueOf(rest, /^\/issues\/(\d+)\/comments$/);
    if (request.method === 'POST' && issue !== undefined) {
      const comment = hide(entryOf(text));
      issue.comments.push(comment);
      return { status: 201, body: shown(comment) };
    }
    return edit(rest, request, text);
  }

  function edit(rest: string, { method, body }: WireRequest, text: string): WireAnswer {
    if (method !== 'PATCH') return fault(404, 'Not Found');
    const issue = issueOf(rest, /^\/issues\/(\d+)$/);
    const id = Number(/^\/issues\/comments\/(\d+)$/.exec(rest)?.[1]);
    const entry = issue ?? issues.flatMap(({ comments }) => comments).find((comment) => comment.id === id);
    if (entry === undefined) return fault(404, 'Not Found');
    Object.assign(entry, { body: text, updatedAt: now() });
    if (issue !== undefined) issue.title = asText(asObject(body).title) ?? issue.title;
    return { status: 200, body: issue === undefined ? shown(entry) : shownIssue(issue) };
  }

  const issueOf = (rest: string, path: RegExp): StandInIssue | undefined =>
    issues.find(({ number }) => number === Number(path.exec(rest)?.[1]));
  const entryOf = (body: string): Comment => ({ id: ++lastId, body, createdAt: now(), updatedAt: now() });
  const hide = <T extends object>(entry: T): T => {
    visibleAt.set(entry, now() + invisibleMs());
    return entry;
  };

  return Object.assign(await serveWire(answer, port), { issues });
}

function shown({ id, body, createdAt, updatedAt }: Comment): object {
  return { id, body, created_at: iso(createdAt), updated_at: iso(updatedAt) };
}

function shownIssue(issue: StandInIssue): object {
  return { ...shown(issue), number: issue.number, title: issue.title, labels: issue.labels };
}

const iso = (at: number): string => new Date(at).toISOString().replace(/\.\d+/, '');

function fault(status: number, message: string, headers?: Record<string, string>): WireAnswer {
  return { status, body: { message, status: String(status) }, ...(headers && { headers }) };
}
