// Drafts of postmortems: what is stored, with links, and prose that only states it.

import { describe, expect, it } from 'vitest';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { KEEPS_LEDGER } from '../../../shared/core/contract/ledgerTool.ts';
import type { ToolSource } from '../../../shared/core/contract/tools.ts';
import { createToolConnector } from '../../../shared/tools/connectTools.ts';
import { CLAIMS_ROLE } from '../../../shared/wording/claims.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { startChatApi } from '../../support/chatApi.ts';
import { ownConfig } from '../../support/ownConfig.ts';

const ALERT = { title: 'Disk **full** [x](https://evil.example)', severity: 'critical' };

/** An ended session that a person resolved, and requests of drafts. */
async function start(turns: object[] = [], alerts = [ALERT]) {
  const conversations = [
    { when: { question: 'Write three parts of a postmortem' }, turns },
    { turns: [{ text: 'The disk is full.' }] },
  ].filter((one) => one.turns.length > 0);
  const api = await startChatApi(conversations);
  const sessions: string[] = [];
  for (const alert of alerts) sessions.push(await api.investigate(alert));
  const [sessionId = ''] = sessions;
  const draft = (body: object = {}, headers: Record<string, string> = {}) =>
    api.ask('/v1/postmortems', { body: { sessions, ...body }, headers });
  const work = (body: object) =>
    api.ask(`/v1/sessions/${sessionId}/work`, { body, headers: { 'x-user-id': 'ada@example.com' } });
  return { ...api, sessions, sessionId, draft, work };
}

describe('a draft of facts', () => {
  it('has what is stored with links, people by their role, and a marked gap for what is not known', async () => {
    const { draft, work, sessionId, gemini } = await start();
    await work({ kind: 'note', text: 'ben@example.com saw it grow' });
    const asked = gemini.requests.length;
    const open = (await draft({ facts: true })).body;
    expect(open.gaps).toContain('When it ended is not known.');
    await work({ kind: 'resolve', text: 'rolled back' });
    const { status, body } = await draft({ facts: true, origin: 'https://inquest.example/x' });
    expect(status).toBe(200);
    const { markdown, gaps, leftOut } = body;
    expect(markdown).toContain('# Postmortem: Disk \\*\\*full\\*\\* \\[x\\](https\\://evil.example)');
    expect(markdown).toContain(
      `a responder resolved it: rolled back ([f3](https://inquest.example/s/${sessionId}#e-work.2))`,
    );
    expect(markdown).toContain('Note of a responder: a responder saw it grow');
    expect(markdown).not.toContain('@example.com');
    expect(markdown).toMatch(/\| Duration \| \d+ min \|/);
    for (const gap of gaps) expect(markdown).toContain(`**Gap:** ${gap}`);
    expect(gaps).toContain('The cause is not proved.');
    expect(gaps).toContain('The impact was not measured, or no fact states it.');
    expect([leftOut, gemini.requests.length]).toEqual([0, asked]);
  });

  it('has the verdict, its cause, and the evidence that counts, with links to their lines', async () => {
    const results: Record<string, string> = {
      'pods.status': 'pods:\ncheckout Reason: OOMKilled\nnode: n1',
      'pods.events': 'checkout: Memory cgroup out of memory',
    };
    const source = {
      name: 'pods',
      connect: async () => ({
        tools: Object.keys(results).map((name) => ({
          name,
          description: name,
          inputSchema: { type: 'object' },
          readOnly: true,
        })),
        results: {},
        call: async ({ name }: { name: string }) => ({
          content: results[name],
          isError: false,
          timedOut: false,
        }),
        close: async () => {},
      }),
    } as unknown as ToolSource;
    const evidence = ['Reason: OOMKilled', 'Memory cgroup out of memory', 'node: n1', 'Reason: Evicted'];
    const ledger = {
      hypotheses: [{ id: 'h1', component: 'service:checkout', mechanism: 'memory', cause: true }],
      evidence: evidence.map((quote, index) => ({ id: `e${index}`, hypothesis: 'h1', quote })),
    };
    const api = await startApiBench({
      claims: {},
      chat: {},
      agent: { tools: ['pods', KEEPS_LEDGER] },
      script: {
        conversations: [
          { when: CLAIMS_ROLE, turns: [{ text: '{"conclusion": "cause", "cause": ["h1"]}' }] },
          {
            turns: [
              { toolCalls: Object.keys(results).map((name) => ({ name, args: { pod: 'checkout' } })) },
              { toolCalls: [{ name: 'ledger', args: ledger }] },
              { text: 'The checkout service runs out of memory.' },
            ],
          },
        ],
      },
    });
    api.deps.connectTools = createToolConnector([source], { warn: () => {} });
    const sessionId = await api.investigate();
    const { body } = await api.ask('/v1/postmortems', { body: { sessions: [sessionId], facts: true } });
    expect(body.markdown).toMatch(
      /## Root cause\n\nLikely\. .* \(\[claims\]\(\/s\/[\w-]+#claims\)\)\n\n- memory of checkout/,
    );
    expect(body.markdown).toMatch(
      /pods\.status: Reason: OOMKilled \(\[f\d\]\(\/s\/[\w-]+#e-01-[\w-]+\.\d+:L2\)\)/,
    );
    expect(body.markdown).toContain('Memory cgroup out of memory');
    expect(body.markdown).not.toMatch(/node: n1|Evicted/);
    expect(body.gaps).not.toContain('The cause is not proved.');
  });

  it('has no end while the alert fires again after its resolution', async () => {
    const alert = { ...ALERT, fingerprint: 'f1', startsAt: '2026-11-05T00:00:00Z', status: 'firing' };
    const { draft, publishAlert, read, sessionId, ...api } = await start([], [alert]);
    const report = async (status: string, at: string) => {
      await publishAlert({ ...alert, status }, {}, at);
      await api.drain();
    };
    const isOpen = async () =>
      (await draft({ facts: true })).body.gaps.includes('When it ended is not known.');
    await report('resolved', '2026-11-05T01:00:00Z');
    expect([(await read(sessionId)).session.status, await isOpen()]).toEqual(['completed', false]);
    await report('firing', '2026-11-05T01:10:00Z');
    expect(await isOpen()).toBe(true);
  });

  it('hides a name of one word only where that person acted', async () => {
    const { draft, sessionId, ask } = await start();
    const note = { kind: 'note', text: 'dev is slow; developers know' };
    await ask(`/v1/sessions/${sessionId}/work`, { body: note, headers: { 'x-user-id': 'dev' } });
    await ask(`/v1/sessions/${sessionId}/work`, {
      body: { kind: 'note', text: 'the dev cluster' },
      headers: { 'x-user-id': 'ben' },
    });
    const { markdown } = (await draft({ facts: true })).body;
    expect(markdown).toContain('Note of a responder: a responder is slow; developers know');
    expect(markdown).toContain('Note of a responder: the dev cluster');
  });

  it('is of several sessions, in the order of time', async () => {
    const { draft, sessions } = await start([], [ALERT, { title: 'Checkout slow', severity: 'warning' }]);
    const { body } = await draft({ facts: true, form: 'short' });
    for (const sessionId of sessions) expect(body.markdown).toContain(`[${sessionId}](/s/${sessionId})`);
    expect(body.markdown).toContain('Checkout slow');
  });

  it('has the form of a template, with names if it asks for them', async () => {
    const { draft, work } = await start();
    await work({ kind: 'claim' });
    const template = '---\npeople: names\n---\n{{ title }}: {{notes}} {{lessons}}';
    const { body } = await draft({ facts: true, template });
    expect(body.markdown).toContain('ada@example.com works on it');
    expect(body.markdown).not.toContain('people:');
    expect(body.gaps).toEqual(['Lessons are for the people who were there.']);
  });

  it('has the form of the installation, unless a request names another', async () => {
    const config = loadSessionConfig(ownConfig({ tools: [] }));
    const readConfig = () => ({ ...config, postmortem: '{{title}} by our form' });
    const api = await startApiBench({
      script: { conversations: [{ turns: [{ text: 'Full.' }] }] },
      readConfig,
    });
    const sessionId = await api.investigate(ALERT);
    const body = { sessions: [sessionId], facts: true };
    expect((await api.ask('/v1/postmortems', { body })).body.markdown).toContain('by our form');
    const named = await api.ask('/v1/postmortems', { body: { ...body, form: 'short' } });
    expect(named.body.markdown).not.toContain('by our form');
  });

  it.each([
    [{ template: '{{titel}}' }, 400, 'has the place {{titel}}; use one of title, severity'],
    [{ template: 'no place' }, 400, 'has no place such as {{timeline}}'],
    [{ template: '---\nowner: x\n---\n{{title}}' }, 400, 'has the setting "owner: x"'],
    [{ template: `{{title}}${'x'.repeat(60_000)}` }, 400, 'body.template'],
    [{ sessions: [] }, 400, 'body.sessions'],
    [{ sessions: ['nosuch'] }, 404, 'nosuch'],
    [{ origin: 'javascript:alert(1)' }, 400, 'body.origin'],
    [{ form: 'long' }, 400, 'body.form'],
  ])('of %o is refused with the fix', async (change, status, text) => {
    const { draft } = await start();
    const refused = await draft({ facts: true, ...change });
    expect(refused).toMatchObject({ status, body: { detail: expect.stringContaining(text) } });
  });

  it('is only for the tenant of its sessions', async () => {
    const { draft } = await start();
    expect((await draft({ facts: true }, { 'x-tenant-id': 'acme' })).status).toBe(404);
  });
});

describe('a draft with prose', () => {
  const said = (text: string, ...facts: string[]) => ({ text, facts });

  it('keeps sentences whose facts have their values, and counts the others', async () => {
    const answer = {
      summary: [
        said('The alert "Disk full" was critical.', 'f1'),
        said('It lasted 47 minutes.', 'f1'),
        said('Somebody was late.'),
        said('The disk db-9 was full.', 'f99'),
      ],
      impact: [],
      resolution: [said('A responder rolled it back.', 'f2')],
    };
    const { draft, work, gemini } = await start([{ text: JSON.stringify(answer) }]);
    await work({ kind: 'resolve', text: 'rolled back by ada@example.com' });
    const before = gemini.requests.length;
    const { body } = await draft();
    expect(body.leftOut).toBe(3);
    expect(body.markdown).toMatch(/## Summary\n\nThe alert "Disk full" was critical\. \(\[f1\]\(\/s\//);
    expect(body.markdown).toMatch(/## Resolution\n\nA responder rolled it back\. \(\[f2\]/);
    expect(body.markdown).not.toMatch(/47 minutes|late|db-9/);
    expect(body.gaps).toContain('The impact was not measured, or no fact states it.');
    expect(gemini.requests).toHaveLength(before + 1);
    const request = JSON.stringify(gemini.requests.at(-1));
    expect(request).toMatch(/<data-[0-9a-f]{12} source=\\*"agent facts\\*">\\nf1 /);
    expect(request).not.toContain('functionDeclarations');
  });

  it('never states a cause that was not proved', async () => {
    const answer = {
      summary: [said('The full disk was caused by the deployment of checkout.', 'f1')],
      impact: [],
      resolution: [],
    };
    const { draft } = await start([{ text: JSON.stringify(answer) }]);
    const { body } = await draft();
    expect(body.markdown).not.toContain('caused by');
    expect(body.gaps).toContain('The cause is not proved.');
  });

  it('is refused while the session runs or has no answer, with facts as the way out', async () => {
    const { draft } = await start([{ failures: Array(80).fill({ status: 400 }), text: 'x' }]);
    expect(await draft()).toMatchObject({
      status: 502,
      body: { code: 'ANSWER_FAILED', detail: expect.stringContaining('with facts') },
    });
    expect((await draft({ facts: true })).status).toBe(200);
  });
});
