// Routes of the knowledge base.

import * as z from 'zod';
import { invalidField, Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { pageQuery } from '../../api/http/schemas.ts';
import { type Unreadable, unreadableSchema } from '../../core/schema/readable.ts';
import { listEntries, pushEntry, removeEntry } from '../../kits/knowledge/editKnowledge.ts';
import { nextSchema } from '../../kits/views/readPage.ts';
import {
  KNOWLEDGE_KINDS,
  knowledgeKeySchema,
  knowledgeSchema,
  MAX_KNOWLEDGE_BYTES,
} from '../../search/knowledge.ts';
import {
  foundEntrySchema,
  queryKnowledge,
  readShownEntry,
  shownEntry,
  shownEntrySchema,
} from './queryKnowledge.ts';

const keyParams = z.strictObject({ key: knowledgeKeySchema });

const list = defineRoute({
  method: 'get',
  path: '/v1/knowledge',
  id: 'listKnowledge',
  summary: 'Shared entries and entries of the caller, by key',
  role: 'viewer',
  query: z.strictObject(pageQuery({ cursor: knowledgeKeySchema })),
  status: 200,
  answer: z.strictObject({
    entries: z.array(shownEntrySchema.omit({ text: true })),
    unreadable: unreadableSchema,
    next: nextSchema,
  }),
  async handle({ query, caller }, deps) {
    const { items, ...page } = await listEntries(caller, query, deps);
    return { entries: items.map((entry) => withoutText(shownEntry(entry))), ...page };
  },
});

const search = defineRoute({
  method: 'get',
  path: '/v1/knowledge/search',
  id: 'searchKnowledge',
  summary: 'Runs a query, as an agent does: LOOKUP, FUZZY, SEARCH or TRAVERSE',
  role: 'viewer',
  query: z.strictObject({ q: z.string().min(1).max(2_000) }),
  status: 200,
  answer: z.strictObject({
    entries: z.array(foundEntrySchema),
    text: z.string().describe('The answer as an agent reads it'),
    unreadable: unreadableSchema,
  }),
  async handle({ query: { q }, caller }, deps) {
    const unreadable: Unreadable[] = [];
    const onUnreadable = (one: Unreadable) => unreadable.push(one);
    const found = await queryKnowledge(q, caller, { ...deps, onUnreadable, now: deps.clock.now() });
    if (typeof found === 'string') throw invalidField('query.q', found);
    return { ...found, unreadable };
  },
});

const get = defineRoute({
  method: 'get',
  path: '/v1/knowledge/{key}',
  id: 'getKnowledge',
  summary: 'A complete entry',
  role: 'viewer',
  params: keyParams,
  status: 200,
  answer: shownEntrySchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { key }, caller }, deps) {
    const entry = await readShownEntry(key, caller, deps);
    if (entry === undefined) throw noEntry(key);
    return entry;
  },
});

const writtenSchema = knowledgeSchema
  .pick({ title: true, text: true })
  .extend({
    kind: z.enum(KNOWLEDGE_KINDS).exclude(['session']).default('resource'),
    labels: z
      .record(z.string().min(1).max(200), z.string().max(2_000))
      .refine((labels) => Object.keys(labels).length <= 50, 'must be 50 at most')
      .default({}),
    links: knowledgeSchema.shape.links.default([]),
    own: z.boolean().default(false).describe('Whether only the caller can read it'),
    embed: z.boolean().default(true).describe('Whether its meaning is embedded, for SEARCH'),
  })
  .strict();

const put = defineRoute({
  method: 'post',
  path: '/v1/knowledge/{key}',
  id: 'putKnowledge',
  summary: 'Stores an entry, replacing the one with the same key',
  role: 'admin',
  params: keyParams,
  body: writtenSchema,
  status: 200,
  answer: z.strictObject({
    outcome: z.enum(['created', 'replaced', 'unchanged']),
    masked: z.int().describe('Number of masked secrets'),
    embedded: z.boolean().describe('Whether SEARCH finds it by its meaning'),
    withoutEmbedding: z.string().nullable().describe('Why it is not embedded; null if it is'),
  }),
  problems: ['KEY_TAKEN'],
  async handle({ params: { key }, body: { own, embed, ...entry }, caller }, deps) {
    if (Buffer.byteLength(entry.text) > MAX_KNOWLEDGE_BYTES)
      throw new Problem(
        'REQUEST_INVALID',
        `body.text: has more than ${MAX_KNOWLEDGE_BYTES} bytes; shorten it`,
      );
    const { tenantId, userId, name } = caller;
    const author = { tenantId, userId: own ? userId : null, by: name };
    const { outcome, masked, withoutEmbedding } = await pushEntry({ key, ...entry }, author, {
      ...deps,
      embed: embed ? deps.embed : undefined,
    });
    if (outcome === 'foreign')
      throw new Problem(
        'KEY_TAKEN',
        `the key ${key} belongs to another user or to all users; choose a different key`,
      );
    const embedded = withoutEmbedding === undefined;
    return { outcome, masked, embedded, withoutEmbedding: withoutEmbedding ?? null };
  },
});

const remove = defineRoute({
  method: 'post',
  path: '/v1/knowledge/{key}/remove',
  id: 'removeKnowledge',
  summary: 'Removes an entry, including one that an investigation stored',
  role: 'admin',
  params: keyParams,
  body: z.strictObject({ own: z.boolean().default(false) }).optional(),
  status: 200,
  answer: z.strictObject({ outcome: z.literal('removed') }),
  problems: ['NOT_FOUND'],
  async handle({ params: { key }, body, caller: { tenantId, userId, name } }, deps) {
    const author = { tenantId, userId: body?.own ? userId : null, by: name };
    if (!(await removeEntry(key, author, deps))) throw noEntry(key);
    return { outcome: 'removed' as const };
  },
});

function withoutText<T extends { text: string }>({ text: _, ...rest }: T): Omit<T, 'text'> {
  return rest;
}

/** The problem of a key without an entry that the caller can see. */
export function noEntry(key: string): Problem {
  return new Problem('NOT_FOUND', `there is no entry ${key}; GET /v1/knowledge lists the entries`);
}

/** All routes of the knowledge base. */
export const KNOWLEDGE_ROUTES = [list, search, get, put, remove];
