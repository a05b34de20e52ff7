// A session's claims from ledger to verdict: checked by code after one call links evidence.

import { describe, expect, it } from 'vitest';
import { markedAnalysis } from '../../../cli/api/sessions.ts';
import { KEEPS_LEDGER } from '../../../shared/core/contract/ledgerTool.ts';
import type { ToolSource } from '../../../shared/core/contract/tools.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { NOT_READ } from '../../../shared/evidence/markUnchecked.ts';
import { verdictPart } from '../../../shared/evidence/schema/verdict.ts';
import { readVerdict } from '../../../shared/evidence/verdictWords.ts';
import { createToolConnector } from '../../../shared/tools/connectTools.ts';
import { CLAIMS_ROLE } from '../../../shared/wording/claims.ts';
import { startApiBench } from '../../support/apiBench.ts';
import type { BenchOptions } from '../../support/harness.ts';
import { readToolResult, sendMcp } from '../../support/mcpWire.ts';

type Args = Record<string, unknown>;
type Texts = Record<string, string | undefined>;

/** A server with a tool for each text; `pods_get` yields states. The call of a missing text fails. */
function source(texts: Texts): ToolSource {
  return {
    name: 'pods',
    connect: async () => ({
      tools: Object.keys(texts).map((name) => ({
        name: `pods.${name}`,
        description: name,
        inputSchema: { type: 'object' },
        readOnly: true,
        ...(name === 'pods_get' && { yields: 'state', fields: 'kubernetes' }),
      })),
      results: {},
      call: async ({ name }: { name: string }) => {
        const content = texts[name.replace('pods.', '')];
        return content === undefined
          ? { content: 'no answer', isError: true, timedOut: true }
          : { content, isError: false, timedOut: false };
      },
      close: async () => {},
    }),
  } as unknown as ToolSource;
}

const TEXTS: Texts = {
  status: 'Reason: OOMKilled\nRestart Count: 4',
  log: 'the quote cache has 100452 entries\nit evicts nothing',
  pods_get: `apiVersion: v1
kind: Pod
metadata:
  name: checkout-1
  namespace: shop
status:
  containerStatuses:
  - name: app
    restartCount: 4
    lastState:
      terminated:
        exitCode: 137
        reason: OOMKilled
`,
};
const POD = { name: 'checkout-1', namespace: 'shop' };
const H1 = {
  id: 'h1',
  text: 'The cache fills it',
  component: 'k8s:eu/shop/Pod/checkout-1',
  mechanism: 'memory',
};
const H2 = { id: 'h2', component: 'k8s:eu/shop/Pod/checkout-1', mechanism: 'dependency_slow' };
const E1 = { id: 'e1', hypothesis: 'h1', quote: 'Reason: OOMKilled' };
const E2 = { id: 'e2', hypothesis: 'h1', quote: 'the quote cache has 100,452 entries' };
const STATE = { id: 'e3', hypothesis: 'h1', quote: 'exitCode: 137\n        reason: OOMKilled' };
const ANALYSIS = 'checkout runs out of memory: its quote cache has 100,452 entries, not 200,904.';
type Conversation = BenchOptions['script']['conversations'][number];
type Turn = Conversation['turns'][number];

interface Options {
  ledger?: Args | undefined;
  texts?: Texts;
  /** The answer about claims; null: the call fails. */
  claims?: Args | null;
  bench?: Partial<BenchOptions>;
}

/** One investigation: status and log are read, then the ledger is stated, then restarts are read. */
async function investigate({ ledger, texts = TEXTS, claims, bench }: Options) {
  const look = (...names: string[]): Turn => ({
    toolCalls: names.map((name) => ({ name: `pods.${name}`, args: POD })),
  });
  const json = (value: Args): Turn[] => [{ text: JSON.stringify(value) }];
  const turns: Turn[] = [
    look('status', 'log'),
    ...(ledger === undefined ? [] : [{ toolCalls: [{ name: 'ledger', args: ledger }] }]),
    look('pods_get'),
    ...(ledger === undefined ? [] : [{ toolCalls: [{ name: 'ledger', args: ledger }] }]),
    { text: ANALYSIS },
  ];
  const conversations: Conversation[] = [
    {
      when: CLAIMS_ROLE,
      turns:
        claims === null
          ? [{ text: 'no JSON' }, { text: 'none' }]
          : json(claims ?? { conclusion: 'cause', cause: ['h1'] }),
    },
    { turns },
  ];
  const agent = { tools: ['pods', KEEPS_LEDGER], limits: { maxIterations: 8 } };
  const api = await startApiBench({
    script: { conversations },
    agent,
    claims: {},
    inMemory: true,
    ...bench,
  } as never);
  api.deps.connectTools = createToolConnector([source(texts)], { warn: () => {} });
  const sessionId = await api.investigate();
  const { status, body } = await api.ask(`/v1/sessions/${sessionId}/claims`);
  expect(status).toBe(200);
  return { ...(await api.read(sessionId)), claims: body, api };
}

const claimsOf = async (ledger: Args | undefined, texts = TEXTS) =>
  (await investigate({ ledger, texts })).claims;

describe('the verdict of a session', () => {
  it('is stored with its causes, reported by an event, and the first word of the summary', async () => {
    const { session, timeline, stages, claims, api } = await investigate({
      ledger: { hypotheses: [H1, H2], evidence: [E1, E2] },
      bench: { summary: {} },
    });
    expect(session).toMatchObject({
      status: 'completed',
      executiveSummary: 'Not established: The analysis has the cause and the remedy.',
      parts: {
        verdict: {
          value: 'inconclusive',
          rule: 'unsupported',
          caps: [],
          causes: [{ component: 'k8s:eu/shop/Pod/checkout-1', mechanism: 'memory' }],
        },
      },
    });
    expect(stages.map(({ stageId }) => stageId)).toEqual([
      '01-claims-check',
      '01-investigation',
      '02-executive-summary',
    ]);
    const notices = timeline.filter(({ eventType }) => eventType === 'notice').map(({ content }) => content);
    expect(notices).toEqual([
      'Not established. No status or metric and no two independent texts show the named cause.',
    ]);
    expect(claims).toMatchObject({ verdict: 'inconclusive', rule: 'unsupported' });
    const shown = (await api.ask(`/v1/sessions/${session?.sessionId}`)).body;
    expect(shown.verdict).toMatchObject({
      value: 'inconclusive',
      sentence: notices[0],
      disproof: '',
      questions: [],
    });
    expect(claims.hypotheses).toMatchObject([
      { id: 'h1', component: 'k8s:eu/shop/Pod/checkout-1', mechanism: 'memory', cause: true },
      { id: 'h2', cause: false },
    ]);
    expect(claims.evidence).toMatchObject([
      { id: 'a.e1', state: 'held', executionId: '01-investigator', result: 'r4', line: 1, yields: 'text' },
      { id: 'a.e2', state: 'held', result: 'r5', line: 1 },
    ]);
    const values = claims.values.map(({ text, kind, state, executionId, line }: Args) =>
      kind === 'number' ? [text, state, executionId, line] : [],
    );
    expect(values).toEqual([
      ['100,452', 'held', '01-investigator', 1],
      ['200,904', 'absent', null, null],
    ]);
    const { callId } = claims.values[0];
    expect(timeline.some(({ metadata }) => 'callId' in metadata && metadata.callId === callId)).toBe(true);
    const get = async (path: string, { sessionId }: { sessionId: string }) =>
      (await api.ask(path.replace('{sessionId}', sessionId))).body;
    expect(await markedAnalysis({ get } as never, shown)).toBe(
      `${ANALYSIS.replace('200,904', '200,904 [in no result]')}\n\n${NOT_READ}`,
    );
  });

  it('is "not checked" where the call fails, and the session completes', async () => {
    const { session, claims } = await investigate({
      ledger: { hypotheses: [H1], evidence: [E1] },
      claims: null,
      bench: { summary: {} },
    });
    expect(session).toMatchObject({
      status: 'completed',
      failure: null,
      executiveSummary: 'Not checked: The analysis has the cause and the remedy.',
    });
    expect(session && readPart(verdictPart, session)).toMatchObject({
      value: null,
      rule: 'not_checked',
      caps: ['claims_failed'],
    });
    expect(claims).toMatchObject({ verdict: null, rule: 'not_checked' });
  });

  it('does not exist without a ledger, and nothing of the call runs', async () => {
    const { session, stages, claims } = await investigate({
      bench: { claims: undefined, agent: { tools: ['pods'], limits: { maxIterations: 8 } } },
    });
    expect(session?.parts).not.toHaveProperty('verdict');
    expect(stages).toHaveLength(1);
    expect(claims).toMatchObject({ verdict: null, rule: 'not_checked', hypotheses: [], evidence: [] });
  });

  it('counts evidence that the call quotes itself, for agents without a ledger', async () => {
    const claims = {
      conclusion: 'cause',
      cause: ['n1'],
      hypotheses: [{ ...H1, id: 'n1' }],
      evidence: [
        { id: 'n2', hypothesis: 'n1', side: 'for', result: 'a.r4', quote: 'Reason: OOMKilled' },
        { id: 'n3', hypothesis: 'n1', side: 'for', quote: 'the quote cache has 99999 entries' },
      ],
      links: [{ text: ANALYSIS, evidence: ['n2', 'n3'] }],
    };
    const { session, claims: body } = await investigate({
      claims,
      bench: { agent: { tools: ['pods'], limits: { maxIterations: 8 } } },
    });
    expect(body.evidence).toMatchObject([
      { id: 'n2', state: 'held', executionId: '01-investigator', result: 'r4', line: 1 },
      { id: 'n3', state: 'differs', found: 'the quote cache has 100452 entries' },
    ]);
    expect(body.links).toEqual(claims.links);
    expect(session && readPart(verdictPart, session)).toMatchObject({
      value: 'inconclusive',
      rule: 'unsupported',
      causes: [{ mechanism: 'memory' }],
    });
  });
});

describe('the claims', () => {
  it('a tool that yields state makes a cause likely with one support', async () => {
    const body = await claimsOf({ hypotheses: [H1], evidence: [STATE] });
    expect(body).toMatchObject({ verdict: 'likely', rule: 'state', caps: [] });
    expect(body.evidence).toMatchObject([{ speaks: 'state', contrast: 'open' }]);
    const asText = await claimsOf({ hypotheses: [H1], evidence: [E1] });
    expect(asText).toMatchObject({ verdict: 'inconclusive', rule: 'unsupported' });
  });

  it('without the value in the results nothing supports the cause', async () => {
    const texts = { ...TEXTS, status: 'Reason: Error\nRestart Count: 4', log: 'it evicts nothing' };
    const body = await claimsOf({ hypotheses: [H1], evidence: [E1, E2] }, texts);
    expect(body).toMatchObject({ verdict: 'inconclusive' });
    expect(body.evidence.map(({ state }: Args) => state)).toEqual(['absent', 'absent']);
  });

  it('evidence against the cause leaves it open, and tests of an earlier version change nothing', async () => {
    const against = { id: 'e3', hypothesis: 'h1', side: 'against', quote: 'it evicts nothing' };
    const tests = [{ id: 't1', hypothesis: 'h1', against: 'h2', tool: 'pods.pods_get', find: 'restarts' }];
    const body = await claimsOf({ hypotheses: [H1, H2], evidence: [E1, STATE, against], tests });
    expect(body).toMatchObject({ verdict: 'inconclusive', rule: 'contradicted' });
    expect(body).not.toHaveProperty('tests');
  });

  it('without answers of half of the calls the session is blocked', async () => {
    const texts = { status: undefined, log: undefined, pods_get: 'restarts 4' };
    const body = await claimsOf({ hypotheses: [H1], evidence: [E1] }, texts);
    expect(body).toMatchObject({ verdict: 'blocked', rule: 'blocked' });
  });
});

it('claims are tools of the MCP server, with lines, limits and open questions', async () => {
  const { claims, api, session } = await investigate({
    ledger: { hypotheses: [H1, H2], evidence: [E1, E2] },
  });
  const call = async (name: string, args: object = {}) => {
    const params = { name, arguments: { session_id: session.sessionId, ...args } };
    return readToolResult((await sendMcp(api.ask, 'tools/call', params)).body.result);
  };
  const { outcome: _, ...all } = claims;
  expect(await call('get_claims')).toEqual(all);
  expect(all.evidence[0]).toMatchObject({ line: 1, state: 'held' });
  const cut = await call('get_claims', { limit: 1 });
  expect(cut.evidence).toEqual(all.evidence.slice(0, 1));
  expect(cut.left_out).toMatchObject({ evidence: all.evidence.length - 1 });
  const open = await call('open_questions');
  const verdict = readPart(verdictPart, session);
  expect(open).toEqual({
    verdict: claims.verdict,
    sentence: claims.sentence,
    questions: verdict && readVerdict(verdict).questions,
    question_to_people: null,
  });
});
