// Routes about the whole installation: its pause, its health, and whether its last iterations have finished.

import * as z from 'zod';
import { defineRoute, type RequestDeps } from '../../api/http/route.ts';
import { TOPICS } from '../../core/contract/publisher.ts';
import { readSystemControl } from '../../core/kernel/systemPause.ts';
import { readMark } from '../../core/rescue/sweepMark.ts';
import { systemControlSchema } from '../../core/schema/systemControl.ts';
import { canaryType } from '../../kits/messages/canary.ts';
import {
  DEFAULT_PAUSE_MS,
  MAX_PAUSE_MS,
  pauseSystem,
  readSystemState,
  resumeSystem,
  systemStateSchema,
} from '../../kits/steering/pauseSystem.ts';
import { canaryState } from '../../kits/views/activity/canaryState.ts';
import { readOpenExecutions } from '../../kits/views/activity/openExecutions.ts';
import { overdueWorkSchema, readOverdue } from '../../kits/views/activity/overdueWork.ts';
import { isSweepLate, systemHealth, systemHealthSchema } from '../../kits/views/activity/systemHealth.ts';
import { getReadable } from '../../kits/views/readable.ts';

const pauseSchema = systemControlSchema.shape.paused;
const ofOperators = { role: 'admin', isForOperators: true, status: 200 } as const;

const get = defineRoute({
  method: 'get',
  path: '/v1/system',
  id: 'getSystem',
  summary: 'Whether the installation is paused, and which parts of it are away',
  description:
    'A caller of the default tenant sees failures that agents of all tenants have noticed, other callers those of their own agents. Without running agents no server or model is known to be away.',
  role: 'viewer',
  status: 200,
  answer: z.strictObject({
    pause: pauseSchema,
    health: systemHealthSchema.extend({
      lateSweep: z
        .strictObject({
          since: z.date().nullable().describe('When the last complete sweep started; null if none did'),
          ...overdueWorkSchema.shape,
        })
        .nullable()
        .describe('The work that waits for the sweep, if that is over 5 minutes late; at most 300 of a kind'),
      lateCanary: z
        .date()
        .nullable()
        .describe('When the last hourly test alert arrived, if a later one is missing'),
    }),
    now: z.date(),
  }),
  async handle(_, deps) {
    const [{ pause }, health] = await Promise.all([readSystemControl(deps), readHealth(deps)]);
    return {
      pause,
      health: pause === null ? health : { ...health, lateSweep: null, lateCanary: null },
      now: deps.clock.now(),
    };
  },
});

async function readHealth(deps: RequestDeps) {
  const { store, wholeStore, documents, clock } = deps;
  const [executions, mark, canary] = await Promise.all([
    readOpenExecutions({ store: wholeStore ?? store, documents }),
    wholeStore && readMark(wholeStore),
    wholeStore && getReadable(canaryType.paths.canary(TOPICS.alerts), canaryType, wholeStore),
  ]);
  const now = clock.now();
  const arrival = canaryState(canary?.value, now);
  const lateCanary = arrival.kind === 'late' ? arrival.since : null;
  return {
    ...systemHealth(executions),
    lateSweep: await readLateSweep(mark?.completedAt, now, deps),
    lateCanary,
  };
}

/** The work that waits for a late sweep; null when nothing does. */
async function readLateSweep(
  sweptAt: Date | undefined,
  now: Date,
  { wholeStore, documents, startedAt }: RequestDeps,
) {
  if (wholeStore === undefined || !isSweepLate(sweptAt, startedAt, now)) return null;
  const work = await readOverdue({ store: wholeStore, documents }, now);
  return Object.values(work).some((count) => count > 0) ? { since: sweptAt ?? null, ...work } : null;
}

const drain = defineRoute({
  ...ofOperators,
  method: 'get',
  path: '/v1/system/drain',
  id: 'getDrain',
  summary: 'Whether the installation is paused and its last iterations have finished',
  answer: systemStateSchema.extend({ now: z.date() }),
  handle: async (_, deps) => ({ ...(await readSystemState(deps)), now: deps.clock.now() }),
});

const pause = defineRoute({
  ...ofOperators,
  method: 'post',
  path: '/v1/system/pause',
  id: 'pauseSystem',
  summary: 'Pauses the installation, or renews its pause',
  description:
    'Alerts are accepted, running iterations finish, and no other starts. Deadlines and the times of approvals are extended by the pause.',
  body: z
    .strictObject({
      forMs: z
        .int()
        .min(1_000)
        .max(MAX_PAUSE_MS)
        .default(DEFAULT_PAUSE_MS)
        .describe('Milliseconds until the pause ends, unless it is renewed'),
    })
    .prefault({}),
  answer: z.strictObject({ outcome: z.enum(['paused', 'renewed']), pause: pauseSchema.unwrap() }),
  async handle({ body: { forMs }, caller }, deps) {
    const { kind, pause: stored } = await pauseSystem({ by: caller.name, forMs }, deps);
    return { outcome: kind, pause: stored };
  },
});

const resume = defineRoute({
  ...ofOperators,
  method: 'post',
  path: '/v1/system/resume',
  id: 'resumeSystem',
  summary: 'Ends the pause of the installation with the next run of the sweep',
  description:
    '`held`: a deployment that applies a release still needs the pause, which ends with it, or with `force`.',
  body: z
    .strictObject({
      force: z.boolean().default(false).describe('Whether to end the pause of a deployment, too'),
    })
    .prefault({}),
  answer: z.strictObject({ outcome: z.enum(['resuming', 'held', 'not_paused']) }),
  async handle({ body: { force }, caller }, deps) {
    return { outcome: (await resumeSystem({ by: caller.name, force }, deps)).kind };
  },
});

/** All routes about the installation. */
export const SYSTEM_ROUTES = [get, drain, pause, resume];
