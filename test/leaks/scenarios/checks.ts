// Secrets in checks: in the content of schedules, in changes that are checked, and in the results of calls
// that are repeated after a session.

import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import { createDocument } from '../../../shared/core/contract/store.ts';
import { DEFAULT_TENANT } from '../../../shared/core/schema/session.ts';
import { handleTick } from '../../../shared/engine/handleTick.ts';
import { publishCheck, requestWrite } from '../../../shared/features/checks/checkRequest.ts';
import { CHECKS } from '../../../shared/features/checks/publishChecks.ts';
import { openOutcome } from '../../../shared/features/claims/claimsFeature.ts';
import { OUTCOMES } from '../../../shared/features/outcomes/checkOutcomes.ts';
import type { Probe } from '../../../shared/kits/alerts/outcome.ts';
import { outcomeType, paths, sessionType } from '../../../shared/lists/documents.ts';
import { EVERY_TOOL } from '../../tools/everyTool.ts';
import type { Plan } from '../plan.ts';
import { startTalkingServer } from '../talkingServer.ts';
import { type Outputs, startWorld, type World } from '../world.ts';

const DAY_MS = 24 * 3_600_000;

/** A check of a schedule with a question, one with an alert, and one after a change. */
export async function requestedChecks(plan: Plan): Promise<Outputs> {
  const at = (field: string, form: 'text' | 'json' = 'json') =>
    plan.text(`check: ${field}`, { reader: 'ingest', form, longest: 200 });
  const rollouts = {
    kinds: ['deploy' as const],
    resources: ['*'],
    after: 0,
    question: 'Did the rollout work?',
  };
  const world = await startWorld(plan, { changeChecks: { rollouts } });
  const common = { cron: '0 7 * * *', timezone: 'UTC', tenant: DEFAULT_TENANT, onlyIf: 'always' as const };
  const schedule = { ...common, labels: {}, startWithin: DAY_MS };
  world.config.schedules = {
    asked: {
      ...schedule,
      title: at('title'),
      question: at('question', 'text'),
      labels: { pod: at('label') },
    },
    alerted: { ...schedule, alert: { title: at('title of an alert'), details: [at('deep text')] } },
  };
  const { publisher } = world.deps;
  for (const name of ['asked', 'alerted']) {
    await request(name, world);
    await publishCheck(publisher, `check.${name}`);
  }
  const change = {
    resource: 'web',
    kind: 'deploy',
    status: 'done',
    title: at('change'),
    actor: at('actor'),
    at: world.deps.clock.now().toISOString(),
  };
  await publisher.publish(TOPICS.changes, Buffer.from(JSON.stringify(change)), {});
  await world.drain();
  world.outputs.responses.push(await handleTick(world.deps, [CHECKS]));
  await world.drain();
  const sessions = await world.deps.store.list({ collection: paths.sessions }, sessionType);
  if (sessions.length !== 3) throw new Error(`${sessions.length} checks have a session`);
  return world.end(sessions[0]?.value.sessionId);
}

async function request(schedule: string, { deps }: World): Promise<void> {
  const now = deps.clock.now();
  const own = { checkId: `check.${schedule}`, tenantId: DEFAULT_TENANT, userId: null, schedule, slot: now };
  await deps.store.commit([
    requestWrite({ ...own, content: null, previousId: null, requestedBy: null }, now),
  ]);
}

/** A call that answers, and one that fails, are repeated after the session of their agent. */
export async function repeatedCalls(plan: Plan): Promise<Outputs> {
  const text = (field: string) => ({
    content: [{ type: 'text' as const, text: plan.text(`repeated call: ${field}`, { cutAt: 200 }) }],
  });
  const results = { well: text('result'), failing: { ...text('error'), isError: true } };
  const tools = Object.keys(results).map((name) => ({
    name,
    inputSchema: { type: 'object' as const },
    annotations: { readOnlyHint: true },
  }));
  const talk = await startTalkingServer({ tools, results });
  const calls = Object.keys(results).map((name) => ({ name: `talk.${name}`, args: {} }));
  const world = await startWorld(plan, {
    servers: { talk: { ...EVERY_TOOL, transport: 'http', url: talk.url } },
    script: { conversations: [{ turns: [{ toolCalls: calls }, { text: 'Out of memory.' }] }] },
  });
  const sessionId = await world.run({ title: 'Down' });
  const { store, clock } = world.deps;
  const session = await store.get(paths.session(sessionId), sessionType);
  const executionId = `01-${session?.value.chain.stages[0]?.agents[0]?.name}`;
  const probes = calls.map(({ name }, index): Probe => {
    const comparison = { find: 'limit', is: 'present' as const, value: null, action: null };
    return { id: `a.p${index + 1}`, executionId, tool: name, arguments: '{}', ...comparison };
  });
  const before = new Date(clock.now().getTime() - DAY_MS);
  const outcome = session && openOutcome(session.value, probes, before);
  if (outcome !== undefined)
    await store.commit([createDocument(paths.outcome(outcome.sessionId), outcomeType, outcome)]);
  // One run starts the check, and one a minute later reads its results.
  const later = { ...clock, now: () => new Date(clock.now().getTime() + 120_000) };
  for (const deps of [world.deps, { ...world.deps, clock: later }]) {
    world.outputs.responses.push(await handleTick(deps, [OUTCOMES]));
    await world.drain();
  }
  // The agent made each call once, and the check repeated it.
  if (talk.calls.length !== 2 * calls.length) throw new Error(`${talk.calls.length} calls were made`);
  await talk.close();
  return world.end(sessionId);
}
