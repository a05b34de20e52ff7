// What the lists hold where features are off.

import { describe, expect, it } from 'vitest';
import { composePushBody } from '../../test/support/pushEvents.ts';
import { sampleSession } from '../../test/support/samples.ts';
import { Problem } from '../api/http/problem.ts';
import type { AnyRoute, ApiDeps } from '../api/http/route.ts';
import type { SessionConfig } from '../config/config.ts';
import { ALL_ON, type Off, SWITCHABLE, type Switchable } from '../contract/switches.ts';
import type { AlertDeps } from '../core/kernel/deps.ts';
import { ANTHROPIC_ROUTES } from '../features/anthropic/routes.ts';
import { CHANGE_ROUTES } from '../features/changes/routes.ts';
import { CHANGE_WEBHOOK_ROUTES } from '../features/changes/webhookRoutes.ts';
import { CHAT_ROUTES } from '../features/chat/routes.ts';
import { CHECK_ROUTES } from '../features/checks/routes.ts';
import { SLACK_ROUTES } from '../features/deliveries/inbox/slackRoute.ts';
import { DELIVERY_ROUTES } from '../features/deliveries/routes.ts';
import { MEMORY_ROUTES } from '../features/knowledge/memoryRoutes.ts';
import { KNOWLEDGE_ROUTES } from '../features/knowledge/routes.ts';
import { OPENAI_ROUTES } from '../features/openai/routes.ts';
import { RESPONSES_ROUTES } from '../features/responses/routes.ts';
import { TOPOLOGY_ROUTES } from '../features/topology/routes.ts';
import { createLogger } from '../log.ts';
import { handleAlert } from './alertHandler.ts';
import { createApi } from './createApi.ts';
import { checkFeatures, intakeFeatures } from './intakeFeatures.ts';
import { iterationFeatures } from './iterationFeatures.ts';
import { mcpTools } from './mcpTools.ts';
import { offFeature } from './offRoutes.ts';
import { listRoutes, ROUTES } from './routes.ts';
import { stageFeatures } from './stageFeatures.ts';
import { createAnnounce } from './storeFeatures.ts';
import { deployedSweepFeatures, SWEEP_FEATURES } from './sweepFeatures.ts';

const ALL_OFF: Off = new Set(SWITCHABLE);
const OWN: Record<Switchable, readonly AnyRoute[]> = {
  deliveries: [...DELIVERY_ROUTES, ...SLACK_ROUTES],
  changes: [...CHANGE_ROUTES, ...CHANGE_WEBHOOK_ROUTES],
  knowledge: [...KNOWLEDGE_ROUTES, ...MEMORY_ROUTES],
  schedules: CHECK_ROUTES,
  telemetry: [],
  chat: [...CHAT_ROUTES, ...OPENAI_ROUTES, ...ANTHROPIC_ROUTES, ...RESPONSES_ROUTES],
  outcomes: [],
  topology: TOPOLOGY_ROUTES,
};

it.each(SWITCHABLE)('knows the addresses of %s, and takes no other', (feature) => {
  const off: Off = new Set([feature]);
  const own = OWN[feature].map(({ id }) => id);
  const found = (ROUTES as readonly AnyRoute[]).filter(({ path, alias }) => {
    const [byPath, byAlias] = [path, alias ?? path].map((one) =>
      offFeature(off, one.replace(/\{\w+\}/, 'x')),
    );
    expect(byAlias).toBe(byPath);
    return byPath !== undefined;
  });
  expect(found.map(({ id }) => id).sort()).toEqual([...own].sort());
  expect(listRoutes(off)).toHaveLength(ROUTES.length - own.length);
});

it('leaves out what features that are off would do, and only that', async () => {
  const counts = (off: Off) => ({
    checks: checkFeatures(off).length,
    intake: intakeFeatures(off).length,
    iteration: iterationFeatures(off).length,
    stages: stageFeatures(off).length,
    sweep: deployedSweepFeatures([], undefined, off).length,
    tools: mcpTools(off).map(({ name }) => name),
  });
  const [on, off] = [counts(ALL_ON), counts(ALL_OFF)];
  expect(off).toEqual({
    checks: on.checks - 1,
    intake: on.intake - 4,
    iteration: on.iteration - 3,
    stages: on.stages - 3,
    // Messages, outcomes, telemetry, checks.
    sweep: on.sweep - 4,
    tools: ['list_sessions', 'get_analysis', 'get_claims', 'open_questions', 'investigate'],
  });
  expect(deployedSweepFeatures([])).toEqual(expect.arrayContaining([...SWEEP_FEATURES]));
  // Nobody is told of an ended session; it is counted.
  const batches: string[][] = [];
  const commit = async (writes: { path: string }[]) => void batches.push(writes.map(({ path }) => path));
  const session = sampleSession({ sessionId: 'a', status: 'completed' });
  const announce = createAnnounce({ clock: { now: () => new Date(0) } } as never, ALL_OFF);
  await announce?.({}, { session }, [], { commit } as never);
  expect(batches).toEqual([['sessions/a/sessionCounts/due']]);
});

describe('an address of a feature that is off', () => {
  const deps = {
    webhooks: { sources: {} },
    clock: { now: () => new Date(0) },
    log: createLogger({ LOG_LEVEL: 'silent' }),
    mask: (text: string) => text,
  } as unknown as ApiDeps;
  const send = async (isKnown: boolean, path: string, method = 'GET') => {
    const access = async () => {
      if (!isKnown) throw new Problem('LOGIN_REQUIRED', 'refused for the test');
      return { tenantId: 'default', name: 'ci', userId: 'ci', role: 'admin' as const };
    };
    const response = await createApi(deps, { access, off: ALL_OFF }).request(path, { method });
    return { status: response.status, ...((await response.json()) as { detail: string }) };
  };

  it.each([
    ['GET', '/v1/knowledge/some', 'knowledge is off'],
    ['POST', '/v1/checks', 'schedules are off'],
    ['GET', '/v1/sessions/some/changes', 'changes are off'],
    ['GET', '/v1/sessions/some/deliveries', 'deliveries are off'],
    ['POST', '/v1/chat/completions', 'chat is off'],
    ['GET', '/v1/sessions/some/topology', 'topology is off'],
  ])('answers %s %s with the setting', async (method, path, detail) => {
    expect(await send(true, path, method)).toMatchObject({
      status: 404,
      detail: expect.stringContaining(`${detail} in this installation: \`features\` of system.yaml`),
    });
  });

  it('says so only to known callers, but for webhooks, which have no login', async () => {
    expect((await send(false, '/v1/knowledge')).status).toBe(401);
    expect(await send(false, '/v1/webhooks/github', 'POST')).toMatchObject({
      status: 404,
      detail: expect.stringContaining('changes are off'),
    });
  });
});

it('drops a check that was published before schedules were turned off: it is no alert', async () => {
  const lines: object[] = [];
  const deps = { log: { info: (fields: object) => lines.push(fields) } } as unknown as AlertDeps;
  const event = composePushBody({ id: '1', data: '{}', attributes: { inquestCheck: 'c1' } });
  // Anything else would read the store, which there is none of.
  await handleAlert(event, { off: new Set(['schedules']) } as unknown as SessionConfig, deps);
  expect(lines).toEqual([{ messageId: '1', checkId: 'c1' }]);
});
