// knowledge/{tenantId}.{key}: knowledge of people and of earlier investigations, which agents look up.

import * as z from 'zod';
import { DEFAULT_EMBEDDING_MODEL, EMBEDDING_DIMENSIONS } from '../contract/embedder.ts';
import { defineCollection } from '../core/schema/defineCollection.ts';
import type { Upcaster } from '../core/schema/documentType.ts';
import { definePart } from '../core/schema/parts.ts';
import { mechanismSchema } from '../evidence/schema/mechanism.ts';
import { cutText } from '../text/cut.ts';
import { asArray, asObject } from '../text/json.ts';

/** The part of an execution whose agent names entries: whether its conversation contains them. */
export const resourcesPart = definePart(
  'execution',
  'knowledge',
  z.strictObject({ resourcesRead: z.boolean() }),
);

/** The kinds of entries. */
export const KNOWLEDGE_KINDS = ['resource', 'runbook', 'session', 'message'] as const;
/** The kind of an entry. */
export type KnowledgeKind = (typeof KNOWLEDGE_KINDS)[number];

/** The most trigrams of an entry, by which it is found. */
export const MAX_TRIGRAMS = 400;
/** Characters of a key. */
const MAX_KEY = 120;
/** UTF-8 bytes of an entry's text: a search reads hundreds of entries. */
export const MAX_KNOWLEDGE_BYTES = 100_000;
/** Links of an entry. */
export const MAX_LINKS = 100;

/** Keys in the form in which they are stored and looked up. */
export const knowledgeKeySchema = z
  .string()
  .max(MAX_KEY)
  .regex(
    /^[\p{L}\p{N}\p{M}]+(-[\p{L}\p{N}\p{M}]+)*$/u,
    'must be lower-case letters and digits, with single "-" between them',
  );

/** The stored form of a key: lower case, "-" for all but letters and digits. Can be empty. */
export function toKnowledgeKey(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase();
  const key = lower.replace(/[^\p{L}\p{N}\p{M}]+/gu, '-').replace(/^-/, '');
  return cutText(key, MAX_KEY).replace(/-$/, '');
}

/** A link to another entry, which does not have to exist. */
export const knowledgeLinkSchema = z.strictObject({
  key: knowledgeKeySchema,
  /** The meaning of the link, such as `depends-on`; null without one. */
  type: knowledgeKeySchema.nullable(),
});
/** A link to another entry. */
export type KnowledgeLink = z.infer<typeof knowledgeLinkSchema>;

/**
 * The trust of an entry that a session left. `confirmed`: people reviewed its analysis as right. `refuted`:
 * as wrong. `unreviewed`: no one did, or reviews differ. `corroborated`: the problem ended as its session
 * stated. `expired`: it was removed.
 */
const TRUSTS = ['unreviewed', 'corroborated', 'confirmed', 'refuted', 'expired'] as const;
/** The trust of an entry that a session left. */
export type Trust = (typeof TRUSTS)[number];

/** The origin of an entry that a session left. Lists have at most 100 items. */
const originSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** Of its alert. */
  identity: z.string().min(1).nullable(),
  trust: z.enum(TRUSTS),
  /** The people whose reviews decide the trust, or did before withdrawals or differences. */
  reviewedBy: z.array(z.string()),
  /** Cause, action and missed facts in the words of the deciding reviewers; null without any. */
  words: z.string().nullable(),
  /**
   * The reviewer who read the whole text and confirmed it for prompts; null otherwise. Until then prompts get
   * none of its text: the alert, the results and an analysis of them are texts of outsiders.
   */
  textBy: z.string().min(1).nullable(),
  /** A canonical resource, or the name that a reviewer gave. */
  component: z.string().nullable(),
  mechanism: mechanismSchema.nullable(),
  /** The servers of servers.yaml that answered its calls. */
  hosts: z.array(z.string()),
  /** The executions that read results of its servers. */
  evidence: z.array(z.string()),
  /** Keys of entries that its agents were shown. */
  shown: z.array(z.string()),
});
/** The origin of an entry that a session left. */
export type Origin = z.infer<typeof originSchema>;

/** An entry as it is stored. Contains no secrets, and no marks of secrets. */
export const knowledgeSchema = z.strictObject({
  tenantId: z.string().min(1),
  key: knowledgeKeySchema,
  kind: z.enum(KNOWLEDGE_KINDS),
  title: z.string().min(1).max(300),
  text: z.string(),
  links: z.array(knowledgeLinkSchema).max(MAX_LINKS),
  /** The labels of the alert, for an entry of a session. */
  labels: z.record(z.string(), z.string()),
  /** Null for an entry by a person. */
  session: originSchema.nullable(),
  /** Of key, title, labels and the start of the text. */
  trigrams: z.array(z.string()).max(MAX_TRIGRAMS),
  /** Of title and text; null if no model was called. */
  embedding: z.array(z.number()).length(EMBEDDING_DIMENSIONS).nullable(),
  /** The model of `embedding`; null without one. Embeddings of different models are never compared. */
  embeddingModel: z.string().min(1).nullable(),
  /** The user that owns it; null if all users of the tenant share it. */
  userId: z.string().min(1).nullable(),
  /** The last author. */
  updatedBy: z.string().min(1),
  updatedAt: z.date(),
  /** When it expires; null for an entry by a person. */
  expireAt: z.date().nullable(),
});
/** An entry of the knowledge base. */
export type Knowledge = z.infer<typeof knowledgeSchema>;

/** The parts of a new origin that a review fills. */
export const UNREVIEWED = {
  trust: 'unreviewed',
  reviewedBy: [],
  words: null,
  textBy: null,
  component: null,
  mechanism: null,
  hosts: [],
  evidence: [],
} satisfies Partial<Origin>;

/**
 * Version 1 recorded neither trust nor sources, and had one model of embeddings. Its links name the entries
 * that the session was shown.
 */
const upcastEntry: Upcaster = (entry) => {
  const shown = asArray(entry.links).flatMap((link) => {
    const { key, type } = asObject(link);
    return type === 'seen-before' ? [key] : [];
  });
  return {
    ...entry,
    session: entry.session && { ...asObject(entry.session), ...UNREVIEWED, shown },
    embeddingModel: entry.embedding === null ? null : DEFAULT_EMBEDDING_MODEL,
  };
};

export const knowledgeType = defineCollection({
  collection: 'knowledge',
  name: 'knowledge',
  version: 4,
  schema: knowledgeSchema,
  oldest: 1,
  upcast: upcastEntry,
  dimensions: { embedding: EMBEDDING_DIMENSIONS },
  paths: {
    knowledge: 'knowledge',
    knowledgeEntry: (tenantId: string, key: string) => `knowledge/${tenantId}.${key}`,
  },
  owner: 'tenant',
  erase: 'entry',
  indexes: {
    fields: ['tenantId', 'userId', 'kind', 'session.identity', 'session.trust', 'updatedBy'],
    composites: [
      ['tenantId', 'userId', 'trigrams'],
      ['tenantId', 'userId', 'kind', 'trigrams'],
      ['tenantId', 'userId', 'kind', 'embedding'],
      ['tenantId', 'userId', 'kind', 'session.trust', 'trigrams'],
      ['tenantId', 'session.shown'],
      ['tenantId', 'session.reviewedBy'],
    ],
  },
});
