// Agents over HTTP: as they are configured, stored, used by the next session, and removed.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { ModelScript } from '../../../local/scriptedModel/modelScript.ts';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { ownConfig } from '../../support/ownConfig.ts';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
const AGENT = `# Written by hand.
type: object
description: Look twice.
properties:
  answer: {type: string}
json_schema_extra:
  name: looker
  version: "2.0.0"
  structured_output: true
  team: payments # kept
`;

const ANSWERS = { conversations: [{ turns: [{ text: '{"answer": "Out of memory."}' }] }] };

/** An API with an agent `looker` of the files, whose servers say how they are reached. */
async function start(script: ModelScript = ANSWERS) {
  const folder = ownConfig({ tools: ['cluster', 'tickets.create', 'search'] });
  const servers = {
    cluster: {
      transport: 'http',
      url: 'http://secret-host.example/mcp',
      headers: { Authorization: `Bearer ${TOKEN}` },
      readOnly: ['get_*'],
      access: 'write',
      tools: { restart: { approval: 'required' }, 'note_*': { approval: 'none' } },
    },
    tickets: {
      transport: 'stdio',
      command: 'tickets',
      env: { TICKETS_KEY: 'hunter2-hunter2' },
      access: 'write',
      tools: { create: { approval: 'required' }, 'c*': { approval: 'none' }, other: { approval: 'none' } },
    },
  };
  writeFileSync(path.join(folder, 'servers.yaml'), stringify({ servers }));
  mkdirSync(path.join(folder, 'agents'));
  const reader = AGENT.replace('name: looker', 'name: reader').replace('twice', `twice with ${TOKEN}`);
  writeFileSync(path.join(folder, 'agents', 'reader.yaml'), reader);
  const config = loadSessionConfig(folder);
  const api = await startApiBench({ script, readConfig: () => config });
  return { ...api, folder };
}

describe('agents', () => {
  it('are listed and described as they are configured, without how servers are reached', async () => {
    const { ask, folder } = await start();
    const { body } = await ask('/v1/agents');
    expect(body.agents).toMatchObject([
      { name: 'looker', from: 'agents.yaml', chains: ['look'], structured: false, stored: null, fault: null },
      {
        name: 'reader',
        from: 'agents/reader.yaml',
        chains: [],
        structured: true,
        strategy: 'native-thinking',
      },
    ]);
    const one = await ask('/v1/agents/looker');
    expect(one.body).toMatchObject({
      name: 'looker',
      settings: {
        instructions: 'Look.',
        model: { provider: 'google', model: 'gemini-3.8-flash' },
        limits: { maxIterations: expect.any(Number) },
      },
      tools: [
        {
          name: 'cluster',
          access: 'write',
          readOnly: ['get_*'],
          approvals: [
            { tool: 'restart', approval: 'required' },
            { tool: 'note_*', approval: 'none' },
          ],
        },
        { name: 'tickets.create', server: 'tickets', approvals: [{ tool: 'create', approval: 'required' }] },
        { name: 'search', server: null, access: null },
      ],
      yaml: expect.stringContaining('name: looker'),
    });
    const other = await ask('/v1/agents/reader');
    const everything = JSON.stringify([body, one.body, other.body]);
    for (const secret of [TOKEN, 'hunter2', 'secret-host', 'Bearer', folder])
      expect(everything).not.toContain(secret);
    expect(await ask('/v1/agents/nosuch')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('are stored, used by the next session, and removed', async () => {
    const { ask, investigate, read } = await start();
    const put = (yaml: string) =>
      ask('/v1/agents/looker', { body: { yaml }, headers: { 'x-user-id': 'anna' } });
    expect((await put(AGENT)).body).toEqual({ outcome: 'created', remarks: [] });
    expect((await put(AGENT)).body.outcome).toBe('unchanged');
    const { body } = await ask('/v1/agents/looker');
    expect(body).toMatchObject({
      from: 'store',
      yaml: AGENT,
      structured: true,
      stored: { version: '2.0.0', updatedBy: 'anna' },
      settings: { instructions: 'Look twice.' },
    });
    const { session } = await read(await investigate());
    expect(session.chain.stages[0]?.agents[0]).toMatchObject({ instructions: 'Look twice.' });
    const remarked = await put(AGENT.replace('team: payments', 'stratgy: react'));
    expect(remarked.body).toMatchObject({
      outcome: 'changed',
      remarks: [expect.stringContaining('did you mean strategy?')],
    });
    expect((await ask('/v1/agents/looker/remove', { body: {} })).body).toEqual({ outcome: 'removed' });
    expect((await ask('/v1/agents/looker')).body).toMatchObject({ from: 'agents.yaml', stored: null });
    expect(await ask('/v1/agents/looker/remove', { body: {} })).toMatchObject({ status: 404 });
  });

  it('that can ask others are offered the tool for it', async () => {
    const call = { name: 'ask_agent', args: { agent_name: 'nobody', input_text: 'What do the logs say?' } };
    const { ask, investigate, read } = await start({
      conversations: [{ turns: [{ toolCalls: [call] }, { text: 'Out of memory.' }] }],
    });
    const yaml = AGENT.replace('structured_output: true', 'tools: [{name: ask_agent}]\n  asks: [reader]');
    expect((await ask('/v1/agents/looker', { body: { yaml } })).body).toEqual({
      outcome: 'created',
      remarks: [],
    });
    const { timeline, session } = await read(await investigate());
    expect(session).toMatchObject({ status: 'completed', finalAnalysis: 'Out of memory.' });
    expect(timeline.find(({ eventType }) => eventType === 'tool_result')?.content).toContain(
      'Agents that you can ask: reader.',
    );
  });

  it.each([
    [
      AGENT.replace('structured_output: true', 'tools: [{name: ask_agent}]'),
      /:9:11 .*ask_agent needs to know whom; add asks:/,
    ],
    [AGENT.replace('structured_output: true', 'asks: [reader]'), /:9:3 .*add ask_agent to tools/],
    [AGENT.replace('structured_output: true', 'override_model: gpt'), /:9:19 .* unknown model "gpt"/],
    [AGENT.replace('name: looker', 'name: other'), /looker/],
    [`${AGENT}  key: ${TOKEN}\n`, /holds a secret/],
    [`${AGENT}# ${'x'.repeat(150_000)}\n`, /larger than 150 kB/],
    ['a: [', /agents\/looker/],
  ])('that cannot be used are refused, with a line for each fault (%#)', async (yaml, detail) => {
    const { ask, deps } = await start();
    const { status, body } = await ask('/v1/agents/looker', { body: { yaml } });
    expect({ status, ...body }).toMatchObject({
      status: 400,
      code: 'REQUEST_INVALID',
      detail: expect.stringMatching(detail),
      errors: [{ field: 'body.yaml' }],
    });
    expect(JSON.stringify(body)).not.toContain(TOKEN);
    expect(
      await deps.store.list({ collection: 'agents' }, { decode: (data: unknown) => data } as never),
    ).toEqual([]);
  });

  it('that can ask an agent which does not exist yet are stored with a remark', async () => {
    const { ask } = await start();
    const yaml = AGENT.replace('structured_output: true', 'tools: [{name: ask_agent}]\n  asks: [reeder]');
    const { status, body } = await ask('/v1/agents/looker', { body: { yaml } });
    expect({ status, ...body }).toMatchObject({
      status: 200,
      outcome: 'created',
      remarks: [expect.stringContaining('"reeder"')],
    });
  });

  it('are read by every tenant, and written by operators only', async () => {
    const { ask } = await start();
    const headers = { 'x-tenant-id': 'acme' };
    expect((await ask('/v1/agents/looker', { headers })).status).toBe(200);
    for (const [address, body] of [
      ['/v1/agents/looker', { yaml: AGENT }],
      ['/v1/agents/looker/remove', {}],
    ] as const)
      expect(await ask(address, { body, headers })).toMatchObject({
        status: 403,
        body: { code: 'ACCESS_DENIED' },
      });
  });

  it('are given as an execution used them, with the differences to today', async () => {
    const { ask, investigate } = await start();
    const sessionId = await investigate();
    const { body: session } = await ask(`/v1/sessions/${sessionId}`);
    const [execution] = session.stages[0].executions;
    const path = `/v1/sessions/${sessionId}/executions/${execution.executionId}/agent`;
    expect((await ask(path)).body).toMatchObject({
      name: 'looker',
      role: 'looker',
      differs: [],
      settings: { instructions: 'Look.', model: { model: 'gemini-3.8-flash' } },
    });
    expect((await ask('/v1/agents/looker', { body: { yaml: AGENT } })).body).toMatchObject({
      outcome: 'created',
    });
    const { body: after } = await ask(path);
    expect(after.differs).toContain('instructions');
    expect(after.differs).not.toContain('resources');
    expect(after.settings.instructions).toBe('Look.');
    expect((await ask(path.replace(execution.executionId, '01-nobody'))).status).toBe(404);
  });
});
