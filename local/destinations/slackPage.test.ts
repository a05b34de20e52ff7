// The page of the stand-in: texts of others are text, and other sites cannot read it.

import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished, vi } from 'vitest';
import { serveSlackPage } from './slackPage.ts';
import type { SlackPost } from './slackServer.ts';

const post = (ts: string, threadTs: string | undefined, text: string): SlackPost => ({
  channel: 'C0000000000',
  ts,
  threadTs,
  text,
  metadata: null,
  edits: 0,
  visibleAt: 0,
  blocks: [
    { type: 'header', text: { type: 'plain_text', text } },
    { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Approve' } }] },
  ],
});

const get = (url: string, host: string) =>
  new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    })
      .on('error', reject)
      .end();
  });

it('shows messages with their threads as text, to this machine only', async () => {
  const page = await serveSlackPage([
    post('1.0', undefined, '<script>alert(1)</script>'),
    post('2.0', '1.0', 'the details'),
  ]);
  onTestFinished(() => page.stop());
  const { status, text } = await get(page.url, new URL(page.url).host);
  expect(status).toBe(200);
  expect(text).not.toContain('<script>alert');
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(text).toMatch(/<article>.*<article>.*the details.*<\/article><\/article>/);
  expect((await get(page.url, 'evil.example')).status).toBe(403);
});

it.each([
  [['', ''], 1],
  [['', 'Which di'], 0],
])(
  'with the replies %j it reloads %i times, by the one script that its policy allows',
  async (values, count) => {
    const page = await serveSlackPage([]);
    onTestFinished(() => page.stop());
    const response = await fetch(page.url);
    const [, script = ''] = /<script>(.*)<\/script>/.exec(await response.text()) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    expect(response.headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}'`);
    const reload = vi.fn();
    const document = { querySelectorAll: () => values.map((value) => ({ value })) };
    runInNewContext(script, { document, location: { reload }, setInterval: (act: () => void) => act() });
    expect(reload).toHaveBeenCalledTimes(count);
  },
);

it('presses buttons and mentions the app for forms of its own only', async () => {
  const done: string[] = [];
  const posts = [post('1.0', undefined, 'one')];
  posts[0]?.blocks.push({
    type: 'actions',
    elements: [{ type: 'button', action_id: 'deny', text: { type: 'plain_text', text: 'Deny' } }],
  });
  const page = await serveSlackPage(posts, {
    press: async ({ ts }, action) => void done.push(`${action} ${ts}`),
    mention: async ({ ts }, text) => void done.push(`${text} ${ts}`),
  });
  onTestFinished(() => page.stop());
  const submit = async (origin: string | undefined, form: Record<string, string>) => {
    const headers: Record<string, string> = origin === undefined ? {} : { origin };
    const body = new URLSearchParams({ ts: '1.0', ...form });
    return (await fetch(page.url, { method: 'POST', headers, body, redirect: 'manual' })).status;
  };
  const { origin } = new URL(page.url);
  expect(await (await fetch(page.url)).text()).toContain('name="action" value="deny"');
  expect(await submit(origin, { action: 'deny' })).toBe(303);
  expect(await submit(origin, { text: 'Which disk?' })).toBe(303);
  expect(await submit('http://evil.example', { action: 'deny' })).toBe(403);
  expect(await submit(undefined, { action: 'deny' })).toBe(403);
  expect(done).toEqual(['deny 1.0', 'Which disk? 1.0']);
});
