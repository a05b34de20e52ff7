// GitHub against its stand-in at the wire.

import { describe, expect, it, onTestFinished } from 'vitest';
import { type GithubOptions, startGithub } from '../../local/destinations/github.fixture.ts';
import { createGithub } from './github.ts';
import { createHttp } from './http.ts';
import { sampleMessage } from './samples.fixture.ts';

const REPOSITORY = 'shop/incidents';

async function open(options: Partial<GithubOptions> = {}) {
  const github = await startGithub({
    repository: REPOSITORY,
    tokens: { writes: { canWrite: true }, reads: { canWrite: false } },
    now: () => Date.parse('2026-11-26T21:02:20Z'),
    ...options,
  });
  onTestFinished(() => github.stop());
  const create = (token = 'writes', repository = REPOSITORY) =>
    createGithub({ http: createHttp() })(
      { token, repository, labels: ['incident'], apiUrl: github.url },
      'github',
    );
  return { github, create, destination: await create() };
}

describe('GitHub', () => {
  it('gets an issue, its edit, and a comment', async () => {
    const { github, destination } = await open();
    expect(await destination.send(sampleMessage('opened'))).toEqual({ outcome: 'sent', ref: '1' });
    expect(await destination.update?.('1', sampleMessage('ended'))).toEqual({ outcome: 'sent', ref: '1' });
    const details = sampleMessage('details', {}, { id: 'details', thread: '1' });
    expect(await destination.send(details)).toMatchObject({
      outcome: 'sent',
      ref: expect.stringMatching(/^1#\d+$/),
    });
    expect(github.issues).toMatchObject([{ labels: ['incident'], comments: [{}] }]);
    expect(github.issues[0]?.body).toContain('**Firing since 20:14 UTC, repeated 14 times**');
  });

  it.each([null, '1'])('finds a message whose answer was lost (comment of %s)', async (thread) => {
    const { github, destination } = await open();
    await destination.send(sampleMessage('opened', {}, { id: 'first' }));
    const message = sampleMessage('ended', {}, { id: 'second', thread });
    expect(await destination.probe?.(message)).toEqual({ outcome: 'absent' });
    github.failNext({ fault: 'cut', takesEffect: true });
    expect(await destination.send(message)).toMatchObject({ outcome: 'unknown' });
    expect(await destination.probe?.(message)).toEqual({
      outcome: 'found',
      ref: thread === null ? '2' : expect.stringMatching(/^1#\d+$/),
    });
  });

  it('finds no comment of an issue that was deleted', async () => {
    const { destination } = await open();
    const comment = sampleMessage('details', {}, { id: 'details', thread: '77' });
    expect(await destination.probe?.(comment)).toEqual({ outcome: 'absent' });
  });

  it('reads page after page, and knows nothing behind 1,000 entries', async () => {
    const { github, destination } = await open();
    const message = sampleMessage('ended', {}, { id: 'wanted' });
    await destination.send(message);
    const add = (count: number) => {
      const [first] = github.issues;
      for (let at = 0; at < count; at++)
        if (first) github.issues.push({ ...first, body: 'x', number: at + 2 });
    };
    add(250);
    expect(await destination.probe?.(message)).toEqual({ outcome: 'found', ref: '1' });
    add(900);
    expect(await destination.probe?.(message)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'too_many_entries' },
    });
  });

  it('does not take an issue for the message that quotes it', async () => {
    const { github, destination } = await open();
    await destination.send(sampleMessage('ended'));
    const [issue] = github.issues;
    if (issue) issue.body = `${issue.body}\nquoted by hand`;
    expect(await destination.probe?.(sampleMessage('ended'))).toEqual({ outcome: 'absent' });
  });

  it('waits as long as GitHub asks', async () => {
    const { github, destination } = await open();
    const reset = String(Math.ceil(Date.now() / 1000) + 90);
    github.failNext(
      {
        fault: 'answer',
        answer: { status: 403, body: { message: 'secondary rate limit' }, headers: { 'retry-after': '60' } },
      },
      {
        fault: 'answer',
        answer: { status: 429, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } },
      },
    );
    expect(await destination.send(sampleMessage('ended'))).toMatchObject({
      outcome: 'retry',
      retryAfterMs: 60_000,
    });
    const second = await destination.send(sampleMessage('ended'));
    expect(second).toMatchObject({ outcome: 'retry', failure: { code: 'rate_limited' } });
    expect(second.outcome === 'retry' && (second.retryAfterMs ?? 0) > 60_000).toBe(true);
    expect(github.issues).toEqual([]);
  });

  it.each([
    ['reads', REPOSITORY, {}, 'missing_permission', 'Issues: read and write'],
    ['wrong', REPOSITORY, {}, 'bad_credentials', 'Replace it'],
    ['writes', 'shop/other', {}, 'repository_not_found', 'cannot see it'],
    ['writes', REPOSITORY, { hasIssues: false }, 'issues_disabled', 'Turn them on'],
    ['writes', REPOSITORY, { isArchived: true }, 'repository_archived', 'different one'],
  ])('with the token %s and %s, %j names the fix', async (token, repository, options, code, fix) => {
    const { create } = await open(options);
    const destination = await create(token, repository);
    expect(await destination.send(sampleMessage('ended'))).toEqual({
      outcome: 'refused',
      failure: { code, message: expect.stringContaining(fix) },
    });
    // Only a write shows that a token cannot write.
    const problems = code === 'missing_permission' ? [] : [expect.objectContaining({ code })];
    expect(await destination.check?.()).toEqual(problems);
  });

  it('names the scope that a classic token lacks', async () => {
    const { github, destination } = await open();
    const answer = {
      status: 200,
      body: { has_issues: true },
      headers: { 'x-oauth-scopes': 'gist, read:org' },
    };
    github.failNext({ fault: 'answer', answer });
    expect(await destination.check?.()).toMatchObject([{ code: 'missing_permission' }]);
  });

  it('takes a deleted issue as gone', async () => {
    const { github, destination } = await open();
    github.failNext({
      fault: 'answer',
      answer: { status: 410, body: { message: 'This issue was deleted' } },
    });
    expect(await destination.update?.('1', sampleMessage('ended'))).toMatchObject({ outcome: 'gone' });
    expect(await destination.send(sampleMessage('details', {}, { thread: '7' }))).toMatchObject({
      outcome: 'gone',
    });
  });
});
