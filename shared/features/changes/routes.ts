// Routes of changes: publishes one, lists them, shows one, and lists those near the alert of a session.

import * as z from 'zod';
import { locateAlert } from '../../alerts/resource.ts';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { invalidField, Problem } from '../../api/http/problem.ts';
import { type Caller, defineRoute, type RequestDeps } from '../../api/http/route.ts';
import { pageQuery, sessionParams, wordsSchema } from '../../api/http/schemas.ts';
import { distanceText, rateText, relationText } from '../../changes/block.ts';
import { CHANGE_KINDS, CHANGE_STATUSES, type Change, changeType } from '../../changes/change.ts';
import { readChanges } from '../../changes/readChange.ts';
import { scopesOfName } from '../../changes/scopes.ts';
import { TOPICS } from '../../core/contract/publisher.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { DELIVERY_ATTRIBUTE } from '../../kits/alerts/sessionId.ts';
import { buildTenantAttributes } from '../../kits/tenants/alertContext.ts';
import { getReadable } from '../../kits/views/readable.ts';
import { nextSchema } from '../../kits/views/readPage.ts';
import { findChanges, listChangeSources, listLatestChanges } from './findChanges.ts';

/** A change for readers. */
const changeSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  source: z.string(),
  kind: z.string().describe(`One of ${CHANGE_KINDS.join(', ')}`),
  status: z.string().describe(`One of ${CHANGE_STATUSES.join(', ')}; \`attempted\` failed`),
  resource: z.string().describe('Canonical name'),
  actor: z.string().nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  url: z.string().nullable(),
  at: z.date().describe('When it took effect'),
  receivedAt: z.date(),
  rate: z.string().describe('How often its resource changes'),
  count: z.int().describe('Changes that it stands for: more than 1 where an hour had too many'),
});
const nearSchema = changeSchema.extend({
  relation: z.string().describe('Its distance from the alert'),
  when: z.string().describe('Its distance in time from the alert'),
  late: z.boolean().describe('Whether it became known after the session was opened'),
});
/** A source of changes. */
const sourceSchema = z.strictObject({
  source: z.string(),
  lastAt: z.date().describe('Its newest event'),
});
/** The changes near the alert of a session. */
const sessionChangesSchema = z.strictObject({
  changes: z.array(nearSchema),
  others: z.int().describe('Changes that were found and are not shown'),
  isCut: z.boolean().describe('Whether more can exist that were not read'),
  resource: z.string().nullable().describe('The canonical resource of the alert'),
  service: z.string().nullable().describe('Its service in `resources.yaml`; null if it is not mapped'),
  start: z.date().nullable().describe('When the problem started; null without an alert'),
  sources: z.array(sourceSchema),
});

const DAY_MS = 24 * 3_600_000;
/** Days of one list: with two names, each has a value in the query. */
const MAX_DAYS = 14;
const MAX_ROWS = 200;

/** The answer to a published change. */
export const changeAnswerSchema = z.strictObject({
  messageId: z.string().nullable().describe('Its id in Pub/Sub; null if nothing was published'),
  source: z.string().describe('The adapter that reads it'),
  changes: z.int().describe('Number of changes in it'),
  ignored: z.string().nullable().describe('Why it has no change; null if it has some'),
});

const NO_MASKER = { mask: (text: string) => ({ text, count: 0 }), maskJson: (value: unknown) => ({ value }) };

/**
 * Publishes a change for the caller's tenant, unless it holds none. It is masked where it is stored.
 * @throws TerminalError `ALERT_*`, `CHANGE_UNKNOWN`; RetryableError `PUBLISH_FAILED`.
 */
export async function submitChange(
  data: Buffer,
  { deliveryId }: { deliveryId?: string | undefined },
  caller: Caller,
  deps: RequestDeps,
): Promise<z.infer<typeof changeAnswerSchema>> {
  const attributes = buildTenantAttributes(caller);
  const reading = readChanges(data, NO_MASKER, { attributes, receivedAt: deps.clock.now() });
  const { source, ignored } = reading;
  const answer = { source, changes: reading.changes.length, ignored };
  if (ignored !== null) return { ...answer, messageId: null };
  const withId = { ...attributes, ...(deliveryId !== undefined && { [DELIVERY_ATTRIBUTE]: deliveryId }) };
  return { ...answer, messageId: await deps.publisher.publish(TOPICS.changes, data, withId) };
}

const submit = defineRoute({
  method: 'post',
  path: '/v1/changes',
  id: 'submitChange',
  summary: 'Publishes a change as its source sends it, or as JSON with `resource` and `title`',
  description: '`ingestChange` stores it. Nothing is investigated because of a change.',
  role: 'responder',
  body: 'bytes',
  status: 202,
  answer: changeAnswerSchema,
  problems: ['ALERT_EMPTY', 'ALERT_INVALID', 'ALERT_TOO_LARGE', 'CHANGE_UNKNOWN', 'PUBLISH_FAILED'],
  handle: ({ body, caller }, deps) => submitChange(body, {}, caller, deps),
});

const changeIdSchema = z.string().regex(/^[\w.-]{1,200}$/, 'must be the id of a change');
const time = z.iso.datetime({ offset: true });

const list = defineRoute({
  method: 'get',
  path: '/v1/changes',
  id: 'listChanges',
  summary: 'Changes of resources, newest first, with the sources that have sent some',
  role: 'viewer',
  query: z.strictObject({
    resource: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('A canonical name, or the name of a workload, service, repository or flag'),
    kind: z.enum(CHANGE_KINDS as unknown as [string, ...string[]]).optional(),
    q: wordsSchema.optional().describe('Words that are all in the title, the resource or the actor'),
    since: time
      .optional()
      .describe('At this time or later, at most 13 days before `until`. Default: a day before `until`'),
    until: time.optional().describe('At this time or earlier. Default: now'),
    ...pageQuery({
      usual: 50,
      most: MAX_ROWS,
      note: '`kind` and `q` leave some out',
      cursor: changeIdSchema,
    }),
  }),
  status: 200,
  answer: z.strictObject({
    changes: z.array(changeSchema),
    next: nextSchema,
    sources: z.array(sourceSchema),
  }),
  async handle(
    { query: { resource, kind, q = '', since, until, after, limit }, caller: { tenantId } },
    { documents, store, clock },
  ) {
    const end = until === undefined ? clock.now() : new Date(until);
    const start = since === undefined ? new Date(end.getTime() - DAY_MS) : new Date(since);
    if (end.getTime() - start.getTime() >= MAX_DAYS * DAY_MS || start > end)
      throw new Problem('REQUEST_INVALID', 'query.since: must be before `until`, by less than 14 days');
    const search = { tenantId, scopes: scopesOfName(resource), since: start, until: end };
    const [page, sources] = await Promise.all([
      listLatestChanges(search, { after, limit }, { documents, store }),
      listChangeSources(tenantId, store),
    ]);
    if (page === undefined)
      throw invalidField('query.after', `${after} is no change; use \`next\` of a page of changes`);
    const words = q.toLowerCase().split(/\s+/);
    const shown = page.changes
      .filter(({ change }) => kind === undefined || change.kind === kind)
      .filter(({ change }) => {
        const text = [change.title, change.resource, change.actor].join('\n').toLowerCase();
        return words.every((word) => text.includes(word));
      });
    return { changes: shown.map(({ id, change }) => changeView(id, change)), next: page.next, sources };
  },
});

const show = defineRoute({
  method: 'get',
  path: '/v1/changes/{changeId}',
  id: 'getChange',
  summary: 'One change',
  role: 'viewer',
  params: z.strictObject({ changeId: changeIdSchema }),
  status: 200,
  answer: changeSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { changeId } }, { store }) {
    const { value } = await getReadable(changeType.paths.change(changeId), changeType, store);
    if (value === undefined)
      throw new Problem('NOT_FOUND', `there is no change ${changeId}; changes are deleted after 30 days`);
    return changeView(changeId, value);
  },
});

const ofSession = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/changes',
  id: 'listSessionChanges',
  summary:
    'The changes in the 24 hours before the alert of a session, and in the six hours after, the most relevant first',
  description: 'As they are known now: agents were shown those that were known when the session was opened.',
  role: 'viewer',
  params: sessionParams,
  status: 200,
  answer: sessionChangesSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { sessionId } }, { store, clock, config }) {
    const { value: session } = await getReadable(paths.session(sessionId), sessionType, store);
    if (session === undefined) throw new Problem('NOT_FOUND', `there is no session ${sessionId}`);
    const { tenantId, createdAt } = session;
    const alert = readSessionAlert(session);
    const none = { changes: [], others: 0, isCut: false, resource: null, service: null, start: null };
    if (alert === null) return { ...none, sources: await listChangeSources(tenantId, store) };
    const { services = {} } = config;
    const start = alert.startedAt ?? createdAt;
    const found = await findChanges({ tenantId, alert, start }, { services, now: clock.now() }, store);
    const changes = found.shown.map(({ id, change, relation, beforeMs }) => ({
      ...changeView(id, change),
      relation: relationText(relation),
      when: distanceText(beforeMs),
      late: change.receivedAt > createdAt,
    }));
    const { others, isCut, resource, sources } = found;
    return {
      changes,
      others,
      isCut,
      resource,
      service: locateAlert(alert, services).service,
      start,
      sources: [...sources],
    };
  },
});

/** All routes of changes. */
export const CHANGE_ROUTES = [submit, list, show, ofSession];

/** The view of a stored change. */
function changeView(
  id: string,
  { tenantId: _, key: _key, scopes: _scopes, expireAt: _expire, rate, ...change }: Change,
): z.infer<typeof changeSchema> {
  return { id, ...change, rate: rateText(rate) };
}
