// Checks and their schedules: what runs when, and checks that programs request.

import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { checkPart } from '../../alerts/schema/sessionCheck.ts';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { nextTime } from '../../config/cronTimes.ts';
import type { Schedules } from '../../config/schedulesFile.ts';
import type { Store } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { nameSchema } from '../../core/schema/common.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import { parseDuration, type Quantity } from '../../text/units.ts';
import { changeSchedule, type ScheduleAct } from './changeSchedule.ts';
import { type Check, checkSchema, checkType, scheduleStateSchema, scheduleStateType } from './check.ts';
import { requestCheck } from './requestCheck.ts';

/** The latest start of a requested check. */
const MAX_DELAY_MS = 24 * 60 * 60_000;

/** A check with the state of its session. */
const shownCheckSchema = checkSchema
  .omit({ expireAt: true, content: true, attempts: true, tenantId: true, userId: true, previousId: true })
  .extend({
    status: z.string().nullable().describe('Of its session'),
    result: z.enum(['healthy', 'attention']).nullable().describe('Null until it completes'),
  });
/** A schedule with its next time and its latest run. */
const listedScheduleSchema = z.strictObject({
  name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  onlyIf: z.string().describe('`changed`: only a change of the result is delivered'),
  chain: z.string().nullable().describe('Null for the default chain'),
  nextAt: z.date().nullable().describe('Null while it is paused'),
  state: scheduleStateSchema
    .omit({ name: true, tenantId: true, rhythm: true, expireAt: true })
    .nullable()
    .describe('Null before the sweep saw it'),
  check: shownCheckSchema.nullable().describe('The latest run'),
});

const list = defineRoute({
  method: 'get',
  path: '/v1/schedules',
  id: 'listSchedules',
  summary: 'The schedules of the tenant: the next time, the latest run, and missed times',
  role: 'viewer',
  status: 200,
  answer: z.strictObject({
    schedules: z.array(listedScheduleSchema),
    now: z.date(),
  }),
  problems: [],
  async handle({ caller }, deps) {
    const schedules = await listSchedules(deps.config.schedules ?? {}, caller.tenantId, deps);
    return { schedules, now: deps.clock.now() };
  },
});

const scheduleParams = z.strictObject({ name: nameSchema });

const act = (kind: ScheduleAct, summary: string) =>
  defineRoute({
    method: 'post',
    path: `/v1/schedules/{name}/${kind}`,
    id: `${kind}Schedule`,
    summary,
    role: 'responder',
    params: scheduleParams,
    status: 200,
    answer: z.strictObject({
      outcome: z.enum(['changed', 'unchanged', 'requested']),
      checkId: z.string().nullable().describe('Of the requested run'),
    }),
    problems: ['NOT_FOUND', 'SESSION_BUSY', 'PUBLISH_FAILED'],
    async handle({ params: { name }, caller }, deps) {
      const change = { name, act: kind, by: caller.name, tenantId: caller.tenantId };
      const outcome = await changeSchedule(change, deps.config.schedules ?? {}, deps);
      switch (outcome.kind) {
        case 'unknown':
          throw new Problem('NOT_FOUND', `schedules.yaml has no schedule ${name} of this tenant`);
        case 'busy':
          throw new Problem(
            'SESSION_BUSY',
            `the run ${outcome.checkId} has not ended; wait for it, or cancel it`,
          );
        case 'requested':
          return { outcome: 'requested' as const, checkId: outcome.checkId };
        default:
          return { outcome: outcome.kind, checkId: null };
      }
    },
  });

const after = z.string().superRefine((text, context) => {
  const read = readDelay(text);
  if (!read.ok) context.addIssue({ code: 'custom', message: read.message });
});
const label = z.string().trim().min(1).max(500);

const request = defineRoute({
  method: 'post',
  path: '/v1/checks',
  id: 'requestCheck',
  summary: 'Requests a check, some time after a rollout: a session that ends as healthy or attention',
  description:
    'A request with the same `key` is the same check. `getCheck` has its session as soon as there is one.',
  role: 'responder',
  body: z.strictObject({
    question: z.string().trim().min(1).max(10_000),
    title: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .optional()
      .describe('Title of its session. Default: the start of the question'),
    labels: z
      .record(label, label)
      .refine((all) => Object.keys(all).length <= 50, 'has more than 50 labels')
      .default({}),
    chain: z.string().min(1).max(200).optional().describe('The chain that runs. Default: the default chain'),
    after: after.default('0').describe('Time until it starts, such as 10m, at most 24h. Default: at once'),
    key: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('A second call with the same key is the same check. Default: a random one'),
  }),
  status: 202,
  answer: shownCheckSchema,
  problems: ['CONFIG_UNKNOWN_CHAIN', 'KEY_REUSED'],
  async handle({ body, caller }, deps) {
    const { question, title = question.slice(0, 100), labels, chain = null } = body;
    if (chain !== null && !Object.hasOwn(deps.config.chains, chain))
      throw new Problem('CONFIG_UNKNOWN_CHAIN', `there is no chain ${deps.mask(chain)}`);
    const masked = Object.entries(labels).map(([key, value]) => [deps.mask(key), deps.mask(value)]);
    const read = readDelay(body.after);
    const outcome = await requestCheck(
      {
        tenantId: caller.tenantId,
        userId: caller.userId,
        by: caller.name,
        key: body.key ?? randomUUID(),
        afterMs: read.ok ? read.value : 0,
        content: {
          title: deps.mask(title),
          question: deps.mask(question),
          chain,
          labels: Object.fromEntries(masked),
        },
      },
      deps,
    );
    if (outcome.kind === 'key_reused')
      throw new Problem('KEY_REUSED', 'the key belongs to a check with another content; choose another key');
    return showCheck(outcome.check, deps.store);
  },
});

const get = defineRoute({
  method: 'get',
  path: '/v1/checks/{checkId}',
  id: 'getCheck',
  summary: 'A check: its state, its session and its result',
  role: 'viewer',
  params: z.strictObject({
    checkId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$/, 'must be the id of a check'),
  }),
  status: 200,
  answer: shownCheckSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { checkId } }, deps) {
    const stored = await deps.store.get(checkType.paths.check(checkId), checkType);
    if (stored === undefined) throw new Problem('NOT_FOUND', `there is no check ${checkId}`);
    return showCheck(stored.value, deps.store);
  },
});

/** All routes for checks. */
export const CHECK_ROUTES = [
  list,
  act('run', 'Runs a schedule now'),
  act('pause', 'Pauses a schedule; its times are not missed'),
  act('resume', 'Resumes a schedule'),
  request,
  get,
];

type ListedSchedule = z.infer<typeof listedScheduleSchema>;

/** A check with the state of its session. @throws RetryableError when the store fails. */
async function showCheck(
  { expireAt: _, content: _c, attempts: _a, tenantId: _t, userId: _u, previousId: _p, ...check }: Check,
  store: Pick<Store, 'get'>,
): Promise<z.infer<typeof shownCheckSchema>> {
  const { sessionId } = check;
  const session = sessionId === null ? undefined : await store.get(paths.session(sessionId), sessionType);
  const result = session === undefined ? undefined : readPart(checkPart, session.value)?.result;
  return { ...check, status: session?.value.status ?? null, result: result ?? null };
}

/** The schedules of a tenant, in the order of their names. @throws RetryableError when the store fails. */
async function listSchedules(
  schedules: Schedules,
  tenantId: string,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<ListedSchedule[]> {
  const own = Object.entries(schedules).filter(([, { tenant }]) => tenant === tenantId);
  return Promise.all(
    own
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(async ([name, schedule]) => {
        const stored = (await store.get(scheduleStateType.paths.scheduleState(name), scheduleStateType))
          ?.value;
        const checkId = stored?.checkId ?? null;
        const check =
          checkId === null ? undefined : await store.get(checkType.paths.check(checkId), checkType);
        const { name: _, tenantId: _tenant, rhythm: _rhythm, expireAt: _expire, ...state } = stored ?? {};
        const { cron, timezone, onlyIf, chain } = schedule;
        return {
          name,
          cron,
          timezone,
          onlyIf,
          chain: chain ?? null,
          check: check === undefined ? null : await showCheck(check.value, store),
          nextAt: stored?.paused ? null : nextTime(schedule, clock.now()),
          state: stored === undefined ? null : (state as ListedSchedule['state']),
        };
      }),
  );
}

/** The milliseconds of a delay such as `10m`, or `0`; or the fault of the text. */
function readDelay(text: string): Quantity {
  const read: Quantity = text === '0' ? { ok: true, value: 0 } : parseDuration(text);
  return read.ok && read.value > MAX_DELAY_MS ? { ok: false, message: 'must be at most 24h' } : read;
}
