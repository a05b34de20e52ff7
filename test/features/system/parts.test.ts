// The installation's parts over HTTP: servers, questions, configuration without secrets.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { createDocument } from '../../../shared/core/contract/store.ts';
import type { Execution } from '../../../shared/core/schema/execution.ts';
import { type Allowance, allowancePath } from '../../../shared/kits/allowances/allowance.ts';
import { bytesAllowance, callsAllowance, modelAllowance } from '../../../shared/kits/quotas/quota.ts';
import {
  allowanceType,
  executionType,
  modelOutageType,
  paths,
  pinnedToolsType,
  quotaType,
  sessionType,
  timelineEventType,
} from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { ownConfig } from '../../support/ownConfig.ts';
import { sampleEvent, sampleExecution, samplePinnedTools, sampleSession } from '../../support/samples.ts';

const OTHER = { headers: { 'x-tenant-id': 'acme' } };
const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, args }] });

/** A system whose agents can use `fixture` and `process`. `spare` belongs to no agent. */
async function start(turns: object[]) {
  const connection = { transport: 'http', url: 'http://secret-host.example/mcp' };
  const servers = {
    fixture: { ...connection, limits: { concurrency: 5, perMinute: 60, bytesPerHour: '500MB' } },
    process: { transport: 'stdio', command: 'secret-command', instances: { list: { north: {}, south: {} } } },
    spare: connection,
  };
  const folder = ownConfig({ servers, tools: ['fixture', 'process.echo', 'action'] });
  const models = parse(readFileSync(path.join(folder, 'models.yaml'), 'utf8'));
  models.models.flash.limits = { rpm: 100 };
  writeFileSync(path.join(folder, 'models.yaml'), stringify(models));
  const config = loadSessionConfig(folder);
  const script = { conversations: [{ turns }] };
  return startApiBench({ script, readConfig: () => config });
}

describe('GET /v1/system/activity', () => {
  it('names the last answer and the tools of each server, and the questions of agents that run', async () => {
    const question = { type: 'elicit', payload: { question: 'Which release?', options: ['41', '42'] } };
    const api = await start([call('fixture.echo'), call('fixture.refuse'), call('action', question)]);
    const read = async (request = {}) => (await api.ask('/v1/system/activity', request)).body;
    const unknown = { lastAnswer: null, tools: [], listedAt: null };
    expect(await read()).toMatchObject({
      servers: [
        { name: 'fixture', agents: ['looker'], access: 'write', ...unknown },
        { name: 'process', agents: ['looker'], ...unknown },
      ],
      questions: [],
      sessions: 0,
      since: null,
    });
    const sessionId = await api.publishAlert();
    for (let iteration = 0; iteration <= 3; iteration++) await api.deliverNext();
    const { servers, questions, sessions } = await read();
    expect(servers[0]).toMatchObject({
      lastAnswer: { outcome: 'error', tool: 'fixture.refuse', sessionId, durationMs: expect.any(Number) },
      tools: expect.arrayContaining(['echo', 'refuse']),
      listedAt: expect.any(String),
    });
    expect(servers[1]).toMatchObject({ lastAnswer: null, tools: expect.arrayContaining(['echo']) });
    expect({ questions, sessions }).toMatchObject({
      questions: [{ sessionId, question: 'Which release?\nOptions: 41 · 42' }],
      sessions: 1,
    });
    const { eventId } = servers[0].lastAnswer;
    expect((await api.ask(`/v1/sessions/${sessionId}/timeline/${eventId}`)).body.metadata).toMatchObject({
      toolName: 'fixture.refuse',
    });
    // A person has answered.
    await api.ask(`/v1/sessions/${sessionId}/guidance`, { body: { text: 'Release 42.' } });
    await api.deliverNext();
    expect((await read()).questions).toEqual([]);
    // The sessions of another tenant say nothing, and neither do its callers learn of these.
    expect(await read(OTHER)).toMatchObject({
      servers: [{ name: 'fixture', ...unknown }, { name: 'process' }],
      sessions: 0,
    });
  });

  it('names servers that could not be connected or did not answer, and the latest of several sessions', async () => {
    const api = await start([]);
    const { store, clock } = api.deps;
    const at = (minutes: number) => new Date(clock.now().getTime() + minutes * 60_000);
    const commit = async (sessionId: string, change: Partial<Execution>) => {
      const session = sampleSession({
        sessionId,
        status: 'completed',
        openStage: null,
        tenantId: 'default',
        userId: null,
      });
      const executionId = '01-looker';
      const execution = sampleExecution({
        sessionId,
        executionId,
        status: 'completed',
        due: {},
        ...change,
      });
      await store.commit([
        createDocument(paths.session(sessionId), sessionType, session),
        createDocument(paths.execution(sessionId, executionId), executionType, execution),
      ]);
    };
    const missing = (name: string) => [{ name, permanent: false }];
    await commit('new', { missingServers: missing('process'), endedAt: at(-5) });
    await commit('old', {
      missingServers: missing('process'),
      hungServers: [{ name: 'fixture', iterations: 1, iteration: 1 }],
      endedAt: at(-60),
    });
    const metadata = {
      toolName: 'fixture.slow',
      callId: '1',
      isError: true,
      truncated: false,
      durationMs: 9,
    };
    const event = sampleEvent('tool_result', { sessionId: 'old', executionId: '01-looker', metadata });
    const pinned = samplePinnedTools({ sessionId: 'old', server: 'fixture', executionId: '01-looker' });
    await store.commit([
      createDocument(paths.event('old', '01-looker', 1), timelineEventType, event),
      createDocument(paths.pinnedTools('old', 'fixture'), pinnedToolsType, pinned),
    ]);
    const { servers } = (await api.ask('/v1/system/activity')).body;
    expect(servers[0].lastAnswer).toMatchObject({ outcome: 'unanswered', eventId: '01-looker.000001' });
    expect(servers[1].lastAnswer).toEqual({
      outcome: 'unreachable',
      at: at(-5).toISOString(),
      sessionId: 'new',
      tool: null,
      durationMs: null,
      eventId: null,
    });
  });
});

describe('GET /v1/system/configuration', () => {
  it('is for operators, and shows limits with their use and the outages of models', async () => {
    const { ask, deps } = await start([]);
    const { store, clock } = deps;
    const now = clock.now();
    const expireAt = new Date(now.getTime() + 3_600_000);
    const count = (allowance: Allowance, use: object, shard = 0) =>
      createDocument(allowancePath(allowance, now, shard), allowanceType, {
        ...{ used: 0, held: {}, seen: {}, expireAt, ...use },
      });
    const flash = modelAllowance({ provider: 'google', model: 'gemini-3.8-flash' });
    const slots = { running: expireAt.getTime(), over: now.getTime() - 1 };
    await store.commit([
      createDocument(paths.quotaSlots('server~fixture', 0), quotaType, { slots, expireAt }),
      count(callsAllowance('fixture'), { used: 7, by: { n_acme: 7 } }),
      count(bytesAllowance('fixture'), { used: 2_000 }),
      count(flash, { used: 40 }),
      count(flash, { used: 2, slowed: 1 }, 1),
      createDocument(paths.modelOutage('google~gemini-3.8-flash'), modelOutageType, {
        model: 'google/gemini-3.8-flash',
        since: now,
        answeredAt: null,
        expireAt,
      }),
    ]);
    const { status, body } = await ask('/v1/system/configuration');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        servers: [
          {
            name: 'fixture',
            transport: 'http',
            limits: { concurrency: 5, perMinute: 60, bytesPerHour: 500_000_000 },
            use: { running: 1, calls: 7, bytes: 2_000 },
          },
          { name: 'process', transport: 'stdio', instances: ['north', 'south'], use: { calls: null } },
          { name: 'spare' },
        ],
        models: [
          {
            name: 'flash',
            isDefault: true,
            limits: { rpm: 100, tpm: null },
            use: { usedPercent: 42, isSlowed: true },
            outage: { since: now.toISOString(), answeredAt: null },
          },
        ],
        chains: [{ name: 'look', isDefault: true, stages: [{ name: 'look', agents: ['looker'] }] }],
      },
    });
    expect(JSON.stringify(body)).not.toContain('secret-');
    expect((await ask('/v1/system/configuration', OTHER)).status).toBe(403);
  });
});

/** A secret without a form of its own: only an allow-list keeps it. */
const FREE = 'horse-battery-staple';
/** One that masking knows by its form, where a name belongs that is shown. */
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
/** A configuration with a secret in each text that can be any, and in each address. */
const RICH: Record<string, object> = {
  agents: {
    agents: {
      looker: {
        description: FREE,
        instructions: FREE,
        tools: ['fixture', 'tickets.create'],
      },
    },
  },
  models: { default: TOKEN, models: { [TOKEN]: { provider: 'google', model: TOKEN } } },
  chains: {
    default: 'look',
    chains: {
      look: {
        alerts: [{ labels: { team: FREE } }],
        runbook: 'off',
        stages: [
          {
            name: 'look',
            agents: ['looker'],
            collect: [{ tool: 'fixture.get_pods', arguments: { namespace: FREE } }],
          },
        ],
        notify: [{ to: 'oncall', severity: ['critical'] }],
      },
    },
  },
  servers: {
    servers: {
      fixture: {
        transport: 'http',
        url: `https://tools.example.com/mcp/${FREE}?key=${FREE}`,
        headers: { Authorization: FREE },
        readOnly: ['get_*'],
        arguments: { namespace: FREE },
        instances: {
          parameter: 'cluster',
          list: { north: { url: `https://north.example.com/${FREE}?key=${FREE}`, headers: { k: FREE } } },
        },
      },
      tickets: {
        transport: 'stdio',
        command: FREE,
        args: [FREE],
        cwd: FREE,
        env: { TICKETS_KEY: FREE },
        access: 'write',
        readOnly: ['find'],
        tools: {
          create: {
            approval: 'required',
            probe: { tool: 'find', arguments: { id: FREE }, happened: FREE, didNotHappen: 'y' },
          },
        },
      },
      login: {
        transport: 'http',
        url: `https://oauth.example.com/mcp/${FREE}?key=${FREE}`,
        auth: 'oauth',
        oauth: {
          grant: 'client-credentials',
          issuer: `https://a.example.com/${FREE}?key=${FREE}`,
          clientId: FREE,
          clientSecret: FREE,
        },
      },
    },
  },
  destinations: {
    destinations: {
      oncall: {
        kind: 'slack',
        token: FREE,
        channel: 'C0123456789',
        signingSecret: FREE,
        team: 'T0123456789',
      },
      shop: { kind: 'webhook', url: `https://example.com/inquest/${FREE}?key=${FREE}`, secrets: FREE },
    },
  },
  webhooks: { alertmanager: { secretEnv: 'SOME_SECRET' } },
  schedules: {
    schedules: { daily: { cron: '0 6 * * *', title: FREE, question: FREE, labels: { team: FREE } } },
  },
  triage: { rules: [{ name: 'noise', text: FREE, action: 'record', reason: FREE }] },
  system: { ownServices: [FREE], runbookHosts: ['wiki.example.com'] },
};

it('neither shows a secret, wherever one is in a configuration', async () => {
  const folder = ownConfig({});
  for (const [name, content] of Object.entries(RICH))
    writeFileSync(path.join(folder, `${name}.yaml`), stringify(content));
  const config = loadSessionConfig(folder);
  const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
  const { ask } = await startApiBench({ script, readConfig: () => config });
  const answers = await Promise.all(['activity', 'configuration'].map((part) => ask(`/v1/system/${part}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const text = JSON.stringify(answers.map(({ body }) => body));
  expect(text).toContain('tickets');
  for (const secret of [FREE, 'a1B2']) expect(text).not.toContain(secret);
});
