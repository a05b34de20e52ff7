// firestore.indexes.json names fields as text; here it is held to the schemas. test/store/indexQueries.test.ts has the queries.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { INDEXED_VERSIONS } from '../store/firestore/outdatedDocuments.ts';
import { agentSnapshotSchema } from './agent.ts';
import type { COLLECTIONS } from './collections.ts';
import { controlSchema, feedbackSchema, guidanceSchema } from './control.ts';
import { executionSchema } from './execution.ts';
import { alertFateSchema } from './features/alertFate.ts';
import { alertKeySchema } from './features/alertKey.ts';
import { apiKeySchema } from './features/apiKey.ts';
import { approvalSchema } from './features/approval.ts';
import { canarySchema } from './features/canary.ts';
import { changeCountsSchema, changeSchema } from './features/change.ts';
import { chatKeySchema } from './features/chatKey.ts';
import { checkSchema, scheduleStateSchema } from './features/check.ts';
import { correlationSchema } from './features/correlation.ts';
import {
  deliveryGroupSchema,
  deliverySchema,
  destinationStateSchema,
  inboxEntrySchema,
  threadSchema,
} from './features/delivery.ts';
import { droppedAlertsSchema } from './features/droppedAlerts.ts';
import { enrichmentSchema } from './features/enrichment.ts';
import { alertCountsSchema, incidentSchema } from './features/incident.ts';
import { EMBEDDING_DIMENSIONS, knowledgeSchema } from './features/knowledge.ts';
import { liveTextSchema } from './features/liveText.ts';
import { metricTotalsSchema } from './features/metricTotals.ts';
import { modelOutageSchema } from './features/modelOutage.ts';
import { outcomeSchema } from './features/outcome.ts';
import { pinnedToolsSchema } from './features/pinnedTools.ts';
import { quotaSchema } from './features/quota.ts';
import { rejectedMessageSchema } from './features/rejectedMessage.ts';
import { requestSchema } from './features/request.ts';
import { runbookSchema } from './features/runbook.ts';
import { storedAgentSchema } from './features/storedAgent.ts';
import { telemetryGapSchema } from './features/telemetryGap.ts';
import { tokenLeaseSchema } from './features/tokenLease.ts';
import { toolListSchema } from './features/toolList.ts';
import { waitingSessionSchema } from './features/waitingSession.ts';
import { workSchema } from './features/work.ts';
import { interactionSchema } from './interaction.ts';
import { messagePartSchema, messageSchema } from './message.ts';
import { alertBodySchema, sessionSchema } from './session.ts';
import { stageSchema } from './stage.ts';
import { resultPartSchema } from './storedResult.ts';
import { sweepMarkSchema } from './sweepMark.ts';
import { systemControlSchema } from './systemControl.ts';
import { timelineEventSchema } from './timelineEvent.ts';
import { usageSchema } from './usage.ts';

const schemas: Record<keyof typeof COLLECTIONS, z.ZodType> = {
  sessions: sessionSchema,
  alertBody: alertBodySchema,
  alertKeys: alertKeySchema,
  alertFates: alertFateSchema,
  canaries: canarySchema,
  changes: changeSchema,
  changeCounts: changeCountsSchema,
  checks: checkSchema,
  schedules: scheduleStateSchema,
  enrichments: enrichmentSchema,
  incidents: incidentSchema,
  waitingSessions: waitingSessionSchema,
  alertCounts: alertCountsSchema,
  stages: stageSchema,
  executions: executionSchema,
  agentSnapshots: agentSnapshotSchema,
  timeline: timelineEventSchema,
  messages: messageSchema,
  parts: messagePartSchema,
  results: resultPartSchema,
  interactions: interactionSchema,
  rejectedMessages: rejectedMessageSchema,
  droppedAlerts: droppedAlertsSchema,
  correlations: correlationSchema,
  control: controlSchema,
  guidance: guidanceSchema,
  live: liveTextSchema,
  agents: storedAgentSchema,
  approvals: approvalSchema,
  feedback: feedbackSchema,
  work: workSchema,
  outcomes: outcomeSchema,
  deliveries: deliverySchema,
  threads: threadSchema,
  telemetry: telemetryGapSchema,
  deliveryGroups: deliveryGroupSchema,
  inbox: inboxEntrySchema,
  destinations: destinationStateSchema,
  requests: requestSchema,
  apiKeys: apiKeySchema,
  chatKeys: chatKeySchema,
  pinnedTools: pinnedToolsSchema,
  toolLists: toolListSchema,
  runbooks: runbookSchema,
  knowledge: knowledgeSchema,
  usage: usageSchema,
  counters: sweepMarkSchema,
  system: systemControlSchema,
  quotas: quotaSchema,
  modelOutages: modelOutageSchema,
  tokenLeases: tokenLeaseSchema,
  metricTotals: metricTotalsSchema,
};
const collectionGroups = new Map<string, z.ZodType>(Object.entries(schemas));
/** Stamped on every document; schemas do not hold it. */
const VERSION_FIELD = 'schemaVersion';

const order = z.enum(['ASCENDING', 'DESCENDING']);
const queryScope = z.enum(['COLLECTION', 'COLLECTION_GROUP']);
const indexFile = z.strictObject({
  indexes: z.array(
    z.strictObject({
      collectionGroup: z.string(),
      queryScope,
      fields: z
        .array(
          z.union([
            z.strictObject({ fieldPath: z.string(), order }),
            z.strictObject({ fieldPath: z.string(), arrayConfig: z.literal('CONTAINS') }),
            z.strictObject({
              fieldPath: z.string(),
              vectorConfig: z.strictObject({
                dimension: z.literal(EMBEDDING_DIMENSIONS),
                flat: z.strictObject({}),
              }),
            }),
          ]),
        )
        .min(2),
    }),
  ),
  fieldOverrides: z.array(
    z.strictObject({
      collectionGroup: z.string(),
      fieldPath: z.string(),
      ttl: z.literal(true).optional(),
      // All single-field indexes there are of the field; an empty list exempts it.
      indexes: z.array(z.strictObject({ order, queryScope })),
    }),
  ),
});
const { indexes, fieldOverrides } = indexFile.parse(
  JSON.parse(readFileSync(new URL('../../firestore.indexes.json', import.meta.url), 'utf8')),
);

/** The schemas a field may have: several in a union, none when there is no such field. */
function schemasAt(schema: z.core.$ZodType, fieldPath: string[]): z.core.$ZodType[] {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return schemasAt(schema.unwrap(), fieldPath);
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => schemasAt(option, fieldPath));
  const [field, ...rest] = fieldPath;
  if (field === undefined) return [schema];
  const found = schema instanceof z.ZodObject ? schema.shape[field] : undefined;
  return found === undefined ? [] : schemasAt(found, rest);
}

function schemasOf(collectionGroup: string, fieldPath: string): z.core.$ZodType[] {
  const schema = collectionGroups.get(collectionGroup);
  if (schema !== undefined && fieldPath === VERSION_FIELD) return [z.int()];
  return schema === undefined ? [] : schemasAt(schema, fieldPath.split('.'));
}

describe('firestore.indexes.json', () => {
  const named = [
    ...indexes.flatMap(({ collectionGroup, fields }) =>
      fields.map(({ fieldPath }) => ({ collectionGroup, fieldPath })),
    ),
    ...fieldOverrides.filter(({ fieldPath }) => fieldPath !== '*'),
  ];

  it.each(named)(
    'names a field that exists: $collectionGroup $fieldPath',
    ({ collectionGroup, fieldPath }) => {
      expect(schemasOf(collectionGroup, fieldPath)).not.toEqual([]);
    },
  );

  it('lets every document but agents, runbooks and enrichments expire by a date: a TTL policy deletes no subcollections', () => {
    const expiring = fieldOverrides.filter((override) => override.ttl);
    expect(expiring.map((override) => override.fieldPath)).toEqual(expiring.map(() => 'expireAt'));
    expect(new Set(expiring.map((override) => override.collectionGroup))).toEqual(
      // People write them, and take them away.
      new Set(
        [...collectionGroups.keys()].filter((name) => !['agents', 'runbooks', 'enrichments'].includes(name)),
      ),
    );
    const isDate = (schema: z.core.$ZodType) =>
      (schema instanceof z.ZodNullable ? schema.unwrap() : schema) instanceof z.ZodDate;
    const fields = expiring.flatMap(({ collectionGroup, fieldPath }) =>
      schemasOf(collectionGroup, fieldPath),
    );
    expect(fields.every(isDate)).toBe(true);
  });

  it('indexes versions where each call of a model adds documents, and nowhere else', () => {
    const versions = fieldOverrides.filter((override) => override.fieldPath === VERSION_FIELD);
    expect(versions.map((override) => override.collectionGroup).sort()).toEqual([...INDEXED_VERSIONS].sort());
    for (const { indexes } of versions)
      expect(indexes).toEqual([{ order: 'ASCENDING', queryScope: 'COLLECTION_GROUP' }]);
  });

  it('reports each fault once', () => {
    const overrides = fieldOverrides.map(
      ({ collectionGroup, fieldPath }) => `${collectionGroup}.${fieldPath}`,
    );
    const composites = indexes.map((index) => JSON.stringify(index));
    expect(new Set(overrides).size).toBe(overrides.length);
    expect(new Set(composites).size).toBe(composites.length);
  });

  it('indexes no other field: * exempts all of each collection, after the fields that have their own settings', () => {
    const last = fieldOverrides.slice(-collectionGroups.size);
    expect(last.map(({ collectionGroup }) => collectionGroup).sort()).toEqual(
      [...collectionGroups.keys()].sort(),
    );
    expect(last).toEqual(
      last.map(({ collectionGroup }) => ({ collectionGroup, fieldPath: '*', indexes: [] })),
    );
    const exempt = fieldOverrides.filter(({ indexes, ttl }) => indexes.length === 0 && !ttl);
    expect(exempt).toEqual(last);
  });

  it('stays below the 200 settings of fields and 200 composite indexes of a database', () => {
    expect(indexes.length).toBeLessThanOrEqual(16);
    expect(fieldOverrides.length).toBeLessThanOrEqual(130);
  });
});
