// GitHub: an issue for each session, edited while it runs, with its details as comments. GitHub has no keys
// for requests, and its search lags: a lost answer is resolved by the list of the newest issues or comments.
// https://docs.github.com/rest/issues/issues and https://docs.github.com/rest/issues/comments

import type {
  CreateDestination,
  DeliveryFailure,
  OutgoingMessage,
  ProbeResult,
  SendResult,
} from '../contract/destination.ts';
import type { GithubSettings } from '../contract/destinationSettings.ts';
import { quoteText } from '../text/cut.ts';
import { asObject, asText, isObject, type JsonObject, parseJson } from '../text/json.ts';
import { githubMark, renderIssue } from './githubIssue.ts';
import { failedResult, type HttpRequest, type HttpResult } from './http.ts';
import type { DestinationServices } from './services.ts';

const TIMEOUT_MS = 20_000;
const API_VERSION = '2022-11-28';
/** Entries of a page, the most that GitHub gives. */
const PAGE = 100;
/** Pages that a probe reads. Behind them nothing is known. */
const MAX_PAGES = 10;
/** The clocks of GitHub and of this process differ. */
const SKEW_MS = 300_000;

const FIXES: Record<string, string> = {
  bad_credentials: 'The token is wrong or expired. Replace it.',
  missing_permission:
    'The token cannot write issues. Grant it the repository permission "Issues: read and write".',
  repository_not_found:
    'The repository does not exist, or the token cannot see it. Check "repository" and the token.',
  issues_disabled: 'The repository has no issues. Turn them on in its settings.',
  repository_archived: 'The repository is archived, so that it can only be read. Choose a different one.',
  rate_limited: 'The limit of requests of the token is reached.',
  invalid: 'The issue was refused. Check that "labels" exist.',
};

/** Makes the destination. */
export const createGithub =
  ({ http }: Pick<DestinationServices, 'http'>): CreateDestination<GithubSettings> =>
  ({ token, repository, labels = [], apiUrl = 'https://api.github.com' }) => {
    const base = `${apiUrl.replace(/\/+$/, '')}/repos/${repository}`;
    const call = (method: HttpRequest['method'], path: string, body?: object) =>
      http({
        method,
        url: `${base}${path}`,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/vnd.github+json',
          'content-type': 'application/json',
          'x-github-api-version': API_VERSION,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        reach: 'any',
      });

    return Promise.resolve({
      kind: 'github',
      capabilities: {
        update: true,
        thread: true,
        buttons: false,
        probe: true,
        key: false,
        isRepeatSafe: false,
      },
      timeoutMs: TIMEOUT_MS,
      preview: renderIssue,
      async send(outgoing): Promise<SendResult> {
        const { title, body } = renderIssue(outgoing);
        const issue = readThreadIssue(outgoing);
        const result = await (issue === null
          ? call('POST', '/issues', { title, body, labels })
          : call('POST', `/issues/${issue}/comments`, { body }));
        if (issue !== null && isGone(result)) return goneResult;
        return sentOr(result, issue) ?? githubFailure(result);
      },
      async update(ref, outgoing): Promise<SendResult> {
        const { title, body } = renderIssue(outgoing);
        const [issue, comment] = ref.split('#');
        const result = await (comment === undefined
          ? call('PATCH', `/issues/${issue}`, { title, body })
          : call('PATCH', `/issues/comments/${comment}`, { body }));
        if (isGone(result)) return goneResult;
        if (result.outcome === 'answered' && result.status < 300) return { outcome: 'sent', ref };
        return githubFailure(result);
      },
      probe: (outgoing) => findOwnComment(outgoing, (path) => call('GET', path)),
      check: async () => checkGithubSettings(await call('GET', '')),
    });
  };

const goneResult: SendResult = {
  outcome: 'gone',
  failure: { code: 'message_not_found', message: 'The issue or the comment was deleted.' },
};

/** The number of the issue that a message is a comment of; null for an issue of its own. */
function readThreadIssue({ thread }: OutgoingMessage): string | null {
  return thread?.split('#')[0] ?? null;
}

/** `12` for an issue, `12#345` for a comment. */
function composeGithubRef(entry: JsonObject, issue: string | null): string | null {
  const id = issue === null ? entry.number : entry.id;
  if (typeof id !== 'number') return null;
  return issue === null ? String(id) : `${issue}#${id}`;
}

function sentOr(result: HttpResult, issue: string | null): SendResult | undefined {
  if (result.outcome !== 'answered' || result.status >= 300) return undefined;
  return { outcome: 'sent', ref: composeGithubRef(asObject(parseJson(result.text)), issue) };
}

/** 410 for a deleted issue, 404 for a deleted comment. A repository without issues answers 410, too. */
function isGone(result: HttpResult): boolean {
  if (result.outcome !== 'answered') return false;
  return result.status === 404 || (result.status === 410 && !/disabled/i.test(result.text));
}

/** Reads issues newest first, or comments of an issue since the first attempt. */
async function findOwnComment(
  outgoing: OutgoingMessage,
  get: (path: string) => Promise<HttpResult>,
): Promise<ProbeResult> {
  const issue = readThreadIssue(outgoing);
  const mark = githubMark(outgoing.id);
  const from = outgoing.firstSentAt.getTime() - SKEW_MS;
  const query = new URLSearchParams({ per_page: String(PAGE), since: new Date(from).toISOString() });
  const path = issue === null ? '/issues' : `/issues/${issue}/comments`;
  if (issue === null) for (const [name, value] of NEWEST_FIRST) query.set(name, value);
  for (let page = 1; page <= MAX_PAGES; page++) {
    query.set('page', String(page));
    const result = await get(`${path}?${query}`);
    if (issue !== null && isGone(result)) return { outcome: 'absent' };
    const entries = result.outcome === 'answered' ? parseJson(result.text) : undefined;
    if (result.outcome !== 'answered' || result.status >= 300 || !Array.isArray(entries)) {
      const failed = githubFailure(result);
      const retryAfterMs = failed.outcome === 'retry' ? failed.retryAfterMs : null;
      return { outcome: 'failed', failure: failed.failure, retryAfterMs };
    }
    const found = entries.filter(isObject).find(({ body }) => asText(body)?.trimEnd().endsWith(mark));
    if (found !== undefined) return { outcome: 'found', ref: composeGithubRef(found, issue) };
    const isLast = entries.length < PAGE;
    const oldest = Date.parse(asText(asObject(entries.at(-1)).created_at) ?? '');
    if (isLast || (issue === null && oldest < from)) return { outcome: 'absent' };
  }
  const message = `More than ${PAGE * MAX_PAGES} entries are newer than the message. Look for it by hand.`;
  return { outcome: 'failed', failure: { code: 'too_many_entries', message }, retryAfterMs: null };
}

const NEWEST_FIRST = Object.entries({ state: 'all', sort: 'created', direction: 'desc' });

/** The problems of the settings, by the answer to a request for the repository. */
function checkGithubSettings(result: HttpResult): DeliveryFailure[] {
  if (result.outcome !== 'answered' || result.status >= 300) return [githubFailure(result).failure];
  const { has_issues, archived } = asObject(parseJson(result.text));
  // Only classic tokens name their scopes; of others GitHub shows the rights at the first write.
  const scopes = result.headers['x-oauth-scopes'];
  const lacksScope = scopes !== undefined && scopes !== '' && !/\b(?:public_)?repo\b/.test(scopes);
  const codes = [
    ...(archived === true ? ['repository_archived'] : []),
    ...(has_issues === false ? ['issues_disabled'] : []),
    ...(lacksScope ? ['missing_permission'] : []),
  ];
  return codes.map((code) => ({ code, message: FIXES[code] ?? '' }));
}

/** The failure of a request, by GitHub's status, headers and message. */
function githubFailure(result: HttpResult): Exclude<SendResult, { outcome: 'sent' | 'gone' }> {
  const failed = failedResult(result, '');
  if (result.outcome !== 'answered' || result.status >= 500) return failed;
  const words = quoteText(asText(asObject(parseJson(result.text)).message) ?? `status ${result.status}`, 200);
  const code = chooseGithubCode(result, words);
  const failure: DeliveryFailure = { code, message: `${FIXES[code]} GitHub: ${words}` };
  if (code !== 'rate_limited') return { outcome: 'refused', failure };
  return { outcome: 'retry', failure, retryAfterMs: readGithubWait(result.headers) };
}

type Answered = Extract<HttpResult, { outcome: 'answered' }>;

function chooseGithubCode({ status, headers }: Answered, words: string): string {
  if (status === 401) return 'bad_credentials';
  const isLimited = headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0';
  if (status === 429 || (status === 403 && (isLimited || /rate limit/i.test(words)))) return 'rate_limited';
  if (/archived/i.test(words)) return 'repository_archived';
  if (status === 403) return 'missing_permission';
  if (status === 404) return 'repository_not_found';
  return status === 410 ? 'issues_disabled' : 'invalid';
}

/**
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api: `retry-after`, else
 * `x-ratelimit-reset`.
 */
function readGithubWait(headers: Readonly<Record<string, string>>, now = Date.now()): number | null {
  const after = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(after)) return after * 1000;
  const reset = Number(headers['x-ratelimit-reset']);
  return Number.isFinite(reset) ? Math.max(0, reset * 1000 - now) : null;
}
