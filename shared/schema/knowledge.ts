// knowledge/{tenantId}.{key}: knowledge of people and of earlier investigations, which agents look up.

import * as z from 'zod';
import { cutToCharacters } from '../text/quote.ts';

/** The kinds of entries. */
export const KNOWLEDGE_KINDS = ['resource', 'runbook', 'session', 'message'] as const;
/** The kind of an entry. */
export type KnowledgeKind = (typeof KNOWLEDGE_KINDS)[number];

/** Dimensions of an embedding. */
export const EMBEDDING_DIMENSIONS = 768;
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

/** The stored form of a key: lower case, with "-" for everything but letters and digits. Empty if nothing remains. */
export function knowledgeKeyOf(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase();
  const key = lower.replace(/[^\p{L}\p{N}\p{M}]+/gu, '-').replace(/^-/, '');
  return cutToCharacters(key, MAX_KEY).replace(/-$/, '');
}

/** A link to another entry, which does not have to exist. */
export const knowledgeLinkSchema = z.strictObject({
  key: knowledgeKeySchema,
  /** The meaning of the link, such as `depends-on`; null without one. */
  type: knowledgeKeySchema.nullable(),
});
/** A link to another entry. */
export type KnowledgeLink = z.infer<typeof knowledgeLinkSchema>;

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
  /** The session that wrote it, and the identity of its alert; null for an entry by a person. */
  session: z
    .strictObject({ sessionId: z.string().min(1), identity: z.string().min(1).nullable() })
    .nullable(),
  /** Of key, title, labels and the start of the text. */
  trigrams: z.array(z.string()).max(MAX_TRIGRAMS),
  /** Of title and text; null if no model was called. */
  embedding: z.array(z.number()).length(EMBEDDING_DIMENSIONS).nullable(),
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
