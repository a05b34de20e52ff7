// changes/{resource}.{time}.{key}: a change of a resource, such as a deployment.
// changeCounts/{tenant}.{subject}: how often a resource changes, and when a source last sent a change.

import * as z from 'zod';
import { openSet } from '../core/schema/common.ts';
import { defineCollection } from '../core/schema/defineCollection.ts';
import { documentTitleSchema } from '../core/schema/documentTitle.ts';
import { definePart } from '../core/schema/parts.ts';

/** The execution id of events about changes that became known late. They have their own numbers. */
export const CHANGE_EVENTS = 'changes';

/** The kinds of changes. `provider`: an incident of the cloud; `manual`: by a person, no other kind. */
export const CHANGE_KINDS = [
  'deploy',
  'config',
  'flag',
  'scale',
  'iam',
  'secret',
  'schema',
  'upgrade',
  'provider',
  'manual',
] as const satisfies readonly string[];
/** The states of a change. `attempted`: it failed. */
export const CHANGE_STATUSES = ['done', 'running', 'attempted'] as const;
/** The state of a change. */
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/** A change as it is stored. All texts are without secrets and limited in length. */
const changeSchema = z.strictObject({
  title: documentTitleSchema,
  tenantId: z.string().min(1),
  /** A digest of the id at its source: the same for all messages about the change. */
  key: z.string().min(1),
  /** The adapter that read it. */
  source: z.string().min(1),
  kind: z.string().min(1),
  status: openSet<ChangeStatus>(),
  /** Canonical name. */
  resource: z.string().min(1),
  /** Who changed it; null if the source does not state it. */
  actor: z.string().nullable(),
  /** The state before and after, cut; null if unknown. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** Link to the change at its source. */
  url: z.string().nullable(),
  /** When it took effect: the end of a rollout. */
  at: z.date(),
  /** When its first message was handled. */
  receivedAt: z.date(),
  /** `DAY|SCOPE` of each scope that it is found by (`listChangeScopes`). */
  scopes: z.array(z.string().min(1)),
  /** Changes of the resource in the `days` days before it, itself included. */
  rate: z.strictObject({ count: z.int().positive(), days: z.int().positive() }),
  /** Number of changes of the document: more than 1 above an hour's limit, where it shows the last. */
  count: z.int().positive(),
  expireAt: z.date(),
});
/** A change of a resource. */
export type Change = z.infer<typeof changeSchema>;

/** The counts of a resource or of a source. Written by increments. */
const changeCountsSchema = z.strictObject({
  /** Name of the resource or of the source. */
  title: documentTitleSchema,
  tenantId: z.string().min(1),
  /** Changes by day (`d20261127`) and by hour (`h2026112704`), in UTC. */
  counts: z.record(z.string(), z.int().nonnegative()),
  /** When the last change was handled. */
  lastAt: z.date(),
  expireAt: z.date(),
});
/** The counts of a resource or of a source. */
export type ChangeCounts = z.infer<typeof changeCountsSchema>;

export const changeType = defineCollection({
  collection: 'changes',
  name: 'change',
  schema: changeSchema,
  paths: { changes: 'changes', change: (id: string) => `changes/${id}` },
  owner: 'tenant',
  erase: 'tenant',
  indexes: {
    fields: ['tenantId'],
    composites: [
      ['tenantId', 'key'],
      ['tenantId', 'scopes'],
      ['tenantId', 'scopes', '-at'],
    ],
  },
});

export const changeCountsType = defineCollection({
  collection: 'changeCounts',
  name: 'changeCounts',
  schema: changeCountsSchema,
  paths: { allChangeCounts: 'changeCounts', changeCounts: (id: string) => `changeCounts/${id}` },
  owner: 'tenant',
  erase: 'tenant',
  indexes: { fields: ['tenantId'] },
});

const knownChangesSchema = z.strictObject({ text: z.string().min(1), scopes: z.array(z.string().min(1)) });
/** The changes before the alert of a session, framed for agents, and scopes for later ones. */
export type KnownChanges = z.infer<typeof knownChangesSchema>;

/** The changes that a session knows. */
export const changesPart = definePart('session', 'changes', knownChangesSchema);
