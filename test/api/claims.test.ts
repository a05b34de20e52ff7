// The claims of a session over HTTP: evidence that code has checked, and the verdict that follows.

import { expect, it } from 'vitest';
import { KEEPS_LEDGER } from '../../shared/contract/ledgerTool.ts';
import type { ToolSource } from '../../shared/contract/tools.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { startApiBench } from '../support/apiBench.ts';

type Args = Record<string, unknown>;

/** A server with a tool for each text; the call of a missing text fails. */
function source(texts: Record<string, string | undefined>): ToolSource {
  return {
    name: 'pods',
    connect: async () => ({
      tools: Object.keys(texts).map((name) => ({
        name: `pods.${name}`,
        description: name,
        inputSchema: { type: 'object' },
        readOnly: true,
        ...(name === 'restarts' && { yields: 'state' }),
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

const TEXTS = {
  status: 'Reason: OOMKilled\nRestart Count: 4',
  log: 'the quote cache has 100452 entries\nit evicts nothing',
  restarts: 'restarts 4',
};
const POD = { pod: 'checkout-1' };
const H1 = {
  id: 'h1',
  text: 'The cache fills it',
  component: 'service:checkout',
  mechanism: 'memory',
  cause: true,
};
const H2 = { id: 'h2', component: 'service:checkout', mechanism: 'dependency_slow' };
const E1 = { id: 'e1', hypothesis: 'h1', quote: 'Reason: OOMKilled' };
const E2 = { id: 'e2', hypothesis: 'h1', quote: 'the quote cache has 100,452 entries' };
const ANALYSIS = 'checkout runs out of memory: its quote cache has 100,452 entries, not 200,904.';

async function claimsOf(ledger: Args | undefined, texts: Record<string, string | undefined> = TEXTS) {
  const looks = ['status', 'log'].map((name) => ({ name: `pods.${name}`, args: POD }));
  const turns = [
    { toolCalls: looks },
    ...(ledger === undefined ? [] : [{ toolCalls: [{ name: 'ledger', args: ledger }] }]),
    { toolCalls: [{ name: 'pods.restarts', args: POD }] },
    { text: ANALYSIS },
  ];
  const agent = { tools: ['pods', KEEPS_LEDGER] };
  const api = await startApiBench({ script: { conversations: [{ turns }] }, agent, inMemory: true } as never);
  api.deps.connectTools = createToolConnector([source(texts)], { warn: () => {} });
  const sessionId = await api.investigate();
  const { status, body } = await api.ask(`/v1/sessions/${sessionId}/claims`);
  expect(status).toBe(200);
  return body;
}

it('two independent texts make a cause likely, and each number of the analysis has its state', async () => {
  const body = await claimsOf({ hypotheses: [H1, H2], evidence: [E1, E2] });
  expect(body).toMatchObject({ verdict: 'likely', rule: 'R7', caps: ['text_only'] });
  expect(body.hypotheses).toMatchObject([
    { id: 'h1', component: 'service:checkout', mechanism: 'memory', cause: true },
    { id: 'h2', cause: false },
  ]);
  expect(body.evidence).toMatchObject([
    { id: 'e1', state: 'held', result: 'r4', line: 1 },
    { id: 'e2', state: 'held', result: 'r5', line: 1 },
  ]);
  const values = body.values.map(({ text, state }: Args) => [text, state]);
  expect(values).toEqual([
    ['100,452', 'held'],
    ['200,904', 'unchecked'],
  ]);
});

it('a tool that yields state makes a cause likely with one support', async () => {
  const restarts = { id: 'e1', hypothesis: 'h1', quote: 'restarts 4' };
  const second = { ...E2, quote: 'it evicts nothing' };
  const body = await claimsOf({ hypotheses: [H1], evidence: [restarts, second] });
  expect(body).toMatchObject({ verdict: 'likely', rule: 'R7', caps: [] });
  const asText = await claimsOf({ hypotheses: [H1], evidence: [E1] });
  expect(asText).toMatchObject({ verdict: 'inconclusive', rule: 'R8' });
});

it('without the value in the results nothing supports the cause', async () => {
  const texts = { ...TEXTS, status: 'Reason: Error\nRestart Count: 4', log: 'it evicts nothing' };
  const body = await claimsOf({ hypotheses: [H1], evidence: [E1, E2] }, texts);
  expect(body).toMatchObject({ verdict: 'inconclusive', rule: 'R8' });
  expect(body.evidence.map(({ state }: Args) => state)).toEqual(['absent', 'absent']);
});

it('a rival with as many supports leaves the cause open', async () => {
  const rival = { id: 'e3', hypothesis: 'h2', quote: 'Restart Count: 4' };
  const body = await claimsOf({ hypotheses: [H1, H2], evidence: [E1, rival] });
  expect(body).toMatchObject({ verdict: 'inconclusive', rule: 'R4' });
});

it('a test that was stated before its call refutes the cause where it fails', async () => {
  const test = {
    id: 't1',
    hypothesis: 'h1',
    against: 'h2',
    tool: 'pods.restarts',
    arguments: JSON.stringify(POD),
  };
  const failing = { ...test, find: 'restarts', is: 'above', value: '9' };
  const late = { ...test, id: 't2', tool: 'pods.log', find: 'entries', is: 'present' };
  const body = await claimsOf({ hypotheses: [H1, H2], evidence: [E1, E2], tests: [failing, late] });
  expect(body.tests).toMatchObject([
    { id: 't1', outcome: 'failed', why: null },
    { id: 't2', outcome: 'void', why: 'answered_earlier' },
  ]);
  expect(body).toMatchObject({ verdict: 'inconclusive', rule: 'R4' });
});

it('without answers of half of the calls the session is blocked', async () => {
  const body = await claimsOf(
    { hypotheses: [H1], evidence: [E1] },
    { status: undefined, log: undefined, restarts: 'restarts 4' },
  );
  expect(body).toMatchObject({ verdict: 'blocked', rule: 'R1' });
});

it('a session without a ledger is not checked', async () => {
  expect(await claimsOf(undefined)).toMatchObject({
    verdict: null,
    rule: 'R0',
    hypotheses: [],
    evidence: [],
  });
});
