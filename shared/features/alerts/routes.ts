// Routes that publish an alert of any source, find its session, and read the alert of a session.

import * as z from 'zod';
import { composeProblemKey } from '../../alerts/incident.ts';
import { alertAttributes, attributesHeader } from '../../api/http/alertAttributes.ts';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute, type RequestDeps } from '../../api/http/route.ts';
import { sessionParams } from '../../api/http/schemas.ts';
import { ALERT_PROBLEMS, alertAnswerSchema, submitAlert } from '../../api/http/submitAlert.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { type AlertKey, alertKeyType } from '../../kits/alerts/fates/alertKeyDocument.ts';
import { enrichAlert } from '../../kits/enrichment/enrichAlert.ts';
import { buildTenantAttributes } from '../../kits/tenants/alertContext.ts';
import { alertPreviewSchema, previewAlert } from '../../kits/views/alerts/alertPreview.ts';
import { fatesWith } from '../../kits/views/alerts/listFates.ts';
import { alertViewSchema, readAlert } from '../../kits/views/alertView.ts';
import { getReadable } from '../../kits/views/readable.ts';

const submit = defineRoute({
  method: 'post',
  path: '/v1/alerts',
  id: 'submitAlert',
  summary: 'Publishes an alert as its source sends it: any JSON or text that an adapter reads',
  description:
    '`ingestAlert` stores and investigates it according to the rules. `findAlert` returns its session as soon as there is one.',
  role: 'responder',
  query: z.strictObject({
    chain: z.string().min(1).max(200).optional().describe('The chain to run. Default: the rules select one'),
    delivery: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must have 64 hexadecimal digits')
      .optional()
      .describe('Identifies the alert: a copy with the same value and body opens no second session'),
  }),
  headers: attributesHeader,
  body: 'bytes',
  status: 202,
  answer: alertAnswerSchema,
  problems: ALERT_PROBLEMS,
  handle({ query: { chain, delivery }, body, caller }, deps, context) {
    const attributes = alertAttributes(context);
    return submitAlert(body, { chain, attributes, deliveryId: delivery }, caller, deps);
  },
});

const fateSchema = z.strictObject({
  outcome: z
    .enum(['opened', 'joined', 'dropped', 'refused'])
    .describe('`joined`: an earlier alert of the same problem opened the session'),
  sessionId: z.string().nullable().describe('Null for an alert that was dropped or refused'),
  status: z.string().nullable().describe('Of the session'),
  deferral: z.string().nullable().describe('Why the session is deferred'),
  reason: z.string().nullable().describe('Why there is no session'),
  createdAt: z.date(),
});

const preview = defineRoute({
  method: 'post',
  path: '/v1/alerts/preview',
  id: 'previewAlert',
  summary:
    'The fate that an alert would have: how it is read, the decision of triage, and its chain. Nothing is sent',
  description: 'As the commands `adapt` and `route` print it. Budgets are not looked at.',
  role: 'responder',
  query: z.strictObject({
    chain: z.string().min(1).max(200).optional().describe('The chain to run; without it the rules choose'),
  }),
  headers: attributesHeader,
  body: 'bytes',
  status: 200,
  answer: alertPreviewSchema,
  problems: ['ALERT_EMPTY', 'ALERT_INVALID', 'ALERT_TOO_LARGE', 'CONFIG_UNKNOWN_CHAIN'],
  async handle({ query: { chain }, body, caller }, { checkAlert, config, clock, store, mask }, context) {
    const named = chain !== undefined && { chain };
    const attributes = { ...alertAttributes(context), ...buildTenantAttributes(caller), ...named };
    const read = await checkAlert(body, attributes);
    const { alert, lookedUp } = await enrichAlert(read.alert, config.enrich ?? [], { store, mask });
    return {
      ...previewAlert({ ...read, alert }, config, clock.now(), chain),
      enriched: lookedUp,
      problem: composeProblemKey(alert),
      chains: Object.keys(config.chains),
    };
  },
});

const example = defineRoute({
  method: 'get',
  path: '/v1/alerts/example',
  id: 'getExampleAlert',
  summary: 'The alert to try the configuration with: its test-alert.json, which `init` writes',
  role: 'responder',
  status: 200,
  answer: z.strictObject({ text: z.string().nullable().describe('Null without one') }),
  handle: async (_, { exampleAlert = null }) => ({ text: exampleAlert }),
});

const find = defineRoute({
  method: 'get',
  path: '/v1/alerts/{alertKey}',
  id: 'findAlert',
  summary: 'The session that an alert opened or joined, or the reason why there is none',
  role: 'viewer',
  params: z.strictObject({
    alertKey: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be the `alertKey` of `submitAlert`: 64 hexadecimal digits'),
  }),
  query: z.strictObject({
    messageId: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The `messageId` of `submitAlert`, which also finds alerts that were dropped or refused'),
  }),
  status: 200,
  answer: fateSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { alertKey }, query: { messageId } }, { store }) {
    const found = await store.get(alertKeyType.paths.alertKey(alertKey), alertKeyType);
    if (found !== undefined) return await sessionFate(found.value, store);
    const lost = messageId === undefined ? undefined : await findLostAlert(messageId, store);
    if (lost !== undefined) return { ...lost, sessionId: null, status: null, deferral: null };
    throw new Problem(
      'NOT_FOUND',
      'the alert has no session: it is not processed yet, or it was refused or dropped',
    );
  },
});

/** Why a published alert has no session: a rule dropped it, or its message was rejected. */
async function findLostAlert(
  messageId: string,
  store: RequestDeps['store'],
): Promise<Pick<z.infer<typeof fateSchema>, 'outcome' | 'reason' | 'createdAt'> | undefined> {
  const { alerts } = await fatesWith('messageId', messageId, store);
  const lost = alerts.find(({ outcome }) => outcome === 'dropped' || outcome === 'rejected');
  if (lost === undefined) return undefined;
  const { outcome, by, subject, reason, at: createdAt } = lost;
  return outcome === 'dropped'
    ? { outcome, reason: `dropped by ${subject} of triage.yaml: ${reason}`, createdAt }
    : { outcome: 'refused', reason: `refused: ${by}: ${reason}`, createdAt };
}

async function sessionFate(
  { sessionId, createdAt }: AlertKey,
  store: RequestDeps['store'],
): Promise<z.infer<typeof fateSchema>> {
  const { value: session } = await getReadable(paths.session(sessionId), sessionType, store);
  // The same batch stores the key and the session of the alert that opens it.
  const isJoined = session !== undefined && session.createdAt.getTime() !== createdAt.getTime();
  const { status = null, deferral } = session ?? {};
  return {
    outcome: isJoined ? 'joined' : 'opened',
    sessionId,
    createdAt,
    status,
    deferral: deferral?.reason ?? null,
    reason: null,
  };
}
const getAlert = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/alert',
  id: 'getAlert',
  summary: 'The alert of a session: as read, as shown to agents, and as received, with secrets masked',
  role: 'viewer',
  params: sessionParams,
  query: z.strictObject({
    part: z.coerce
      .number<number>()
      .int()
      .min(1)
      .max(10)
      .default(1)
      .describe('Part of the body; parts have 600 kB'),
  }),
  status: 200,
  answer: alertViewSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { sessionId }, query: { part } }, { store }) {
    const found = await readAlert(sessionId, part, store);
    if (found !== undefined) return found;
    throw new Problem('NOT_FOUND', `there is no session ${sessionId} with an alert of ${part} parts`);
  },
});

/** All routes for alerts. */
export const ALERT_ROUTES = [submit, preview, example, find, getAlert];
