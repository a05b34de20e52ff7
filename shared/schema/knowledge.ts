// knowledge/{tenantId}.{key}: what people and earlier investigations know, for agents to look up.

import * as z from 'zod';
import { cutToCharacters } from '../text/quote.ts';

/** The kinds of entries. */
export const KNOWLEDGE_KINDS = ['resource', 'runbook', 'session', 'message'] as const;
/** The kind of an entry. */
export type KnowledgeKind = (typeof KNOWLEDGE_KINDS)[number];

/** Dimensions of an embedding. */
export const EMBEDDING_DIMENSIONS = 768;
/** Trigrams of an entry, by which it is found. */
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

/** The key as it is stored: lower case, and "-" for everything but letters and digits. Empty when nothing is left. */
export function knowledgeKeyOf(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase();
  const key = lower.replace(/[^\p{L}\p{N}\p{M}]+/gu, '-').replace(/^-/, '');
  return cutToCharacters(key, MAX_KEY).replace(/-$/, '');
}

/** A link to another entry, which may not exist. */
export const knowledgeLinkSchema = z.strictObject({
  key: knowledgeKeySchema,
  /** What the link means, such as `depends-on`; null when that is not said. */
  type: knowledgeKeySchema.nullable(),
});
/** A link to another entry. */
export type KnowledgeLink = z.infer<typeof knowledgeLinkSchema>;

/** An entry as it is stored. Nothing in it is a secret, or the mark of one. */
export const knowledgeSchema = z.strictObject({
  tenantId: z.string().min(1),
  key: knowledgeKeySchema,
  kind: z.enum(KNOWLEDGE_KINDS),
  title: z.string().min(1).max(300),
  text: z.string(),
  links: z.array(knowledgeLinkSchema).max(MAX_LINKS),
  /** For an entry of a session those of its alert. */
  labels: z.record(z.string(), z.string()),
  /** The session that left it, and the identity of its alert; null for an entry that people wrote. */
  session: z
    .strictObject({ sessionId: z.string().min(1), identity: z.string().min(1).nullable() })
    .nullable(),
  /** Of key, title, labels and the beginning of the text. */
  trigrams: z.array(z.string()).max(MAX_TRIGRAMS),
  /** Of title and text; null where no model was asked. */
  embedding: z.array(z.number()).length(EMBEDDING_DIMENSIONS).nullable(),
  /** Whose it is; null for one that all users of the tenant share. */
  userId: z.string().min(1).nullable(),
  /** Who wrote it. */
  updatedBy: z.string().min(1),
  updatedAt: z.date(),
  /** Not found any more from then on; null for one that people wrote. */
  expireAt: z.date().nullable(),
});
/** An entry of the knowledge base. */
export type Knowledge = z.infer<typeof knowledgeSchema>;
