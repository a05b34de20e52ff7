// Routes about the origin of knowledge: where an entry comes from, what came from it, the confirmation of its
// text, and the removal of all of that.

import * as z from 'zod';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { type Knowledge, knowledgeKeySchema, knowledgeSchema } from '../../search/knowledge.ts';
import { confirmableTextSchema, confirmText, readConfirmableText } from './confirmText.ts';
import { forgetEntries, type TracedEntry, traceEntry } from './deleteKnowledge.ts';
import { noEntry } from './routes.ts';

const keyParams = z.strictObject({ key: knowledgeKeySchema });
const shape = knowledgeSchema.pick({ key: true, kind: true, title: true, session: true, updatedBy: true });
const traced = shape.extend({ depth: z.int().describe('Number of sessions between the two, from 1') });

const trace = defineRoute({
  method: 'get',
  path: '/v1/knowledge/{key}/trace',
  id: 'traceKnowledge',
  summary: 'Where an entry comes from, and which entries came from it',
  description:
    'An entry comes from another if its session was shown that one. Entries of other users are left out.',
  role: 'viewer',
  params: keyParams,
  status: 200,
  answer: z.strictObject({
    entry: shape,
    from: z.array(traced).describe('Entries that its session was shown, the nearest first'),
    descendants: z.array(traced).describe('Entries of sessions that were shown it, the nearest first'),
  }),
  problems: ['NOT_FOUND'],
  async handle({ params: { key }, caller: { tenantId, userId } }, deps) {
    const found = await traceEntry(key, tenantId, deps);
    const isOwn = ({ userId: owner }: Knowledge) => owner === null || owner === userId;
    if (found === undefined || !isOwn(found.entry)) throw noEntry(key);
    const own = (entries: TracedEntry[]) =>
      entries
        .filter(({ entry }) => isOwn(entry))
        .map(({ entry, depth }) => ({ ...shownOrigin(entry), depth }));
    return { entry: shownOrigin(found.entry), from: own(found.from), descendants: own(found.descendants) };
  },
});

const showText = defineRoute({
  method: 'get',
  path: '/v1/knowledge/{key}/text',
  id: 'showKnowledgeText',
  summary: 'The text of an entry of a session, as agents get it after a reviewer confirmed it',
  role: 'viewer',
  params: keyParams,
  status: 200,
  answer: confirmableTextSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { key }, caller }, deps) {
    const shown = await readConfirmableText(key, caller, deps);
    if (shown === undefined) throw noEntry(key);
    return shown;
  },
});

const confirm = defineRoute({
  method: 'post',
  path: '/v1/knowledge/{key}/text',
  id: 'confirmKnowledgeText',
  summary: 'Confirms the text of an entry of a session, so that agents get it',
  description:
    'Only a reviewer can, who rated the analysis of the session as right. It contains sentences of the alert and of results: read all of it. It ends when reviews no longer confirm the entry.',
  role: 'responder',
  params: keyParams,
  body: z.strictObject({ digest: z.string().describe('That of the text that was shown') }),
  status: 200,
  answer: confirmableTextSchema,
  problems: ['NOT_FOUND', 'SESSION_STATE'],
  async handle({ params: { key }, body: { digest }, caller }, deps) {
    const { tenantId, userId, name: by } = caller;
    const outcome = await confirmText(key, digest, { tenantId, userId, by }, deps);
    switch (outcome.kind) {
      case 'confirmed': {
        const { kind: _, ...shown } = outcome;
        return shown;
      }
      case 'unknown':
        throw noEntry(key);
      case 'other_text':
        throw new Problem(
          'SESSION_STATE',
          'body.digest: is not that of this text; show the text and read it',
        );
      case 'no_review':
        throw new Problem(
          'SESSION_STATE',
          `${by} does not confirm the analysis of this session, or others differ; review it as right first`,
        );
    }
  },
});

const body = z
  .strictObject({
    sessionId: z.string().min(1).max(300).optional().describe('The session whose entry is removed'),
    by: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe('The person whose entries and confirmed entries are removed'),
  })
  .refine(({ sessionId, by }) => (sessionId === undefined) !== (by === undefined), {
    error: 'must name either `sessionId` or `by`',
  });

const forget = defineRoute({
  method: 'post',
  path: '/v1/memory/forget',
  id: 'forgetKnowledge',
  summary: 'Removes what a session left, or a person wrote or confirmed, with all entries that came from it',
  description: 'Entries of all users of the tenant. A repeated request finishes an interrupted one.',
  role: 'admin',
  body,
  status: 200,
  answer: z.strictObject({ removed: z.array(z.string()).describe('Keys') }),
  async handle({ body: { sessionId, by }, caller: { tenantId, name } }, deps) {
    const from = sessionId === undefined ? { by: by ?? '' } : { sessionId };
    return { removed: await forgetEntries(from, { tenantId, by: name }, deps) };
  },
});

function shownOrigin({ key, kind, title, session, updatedBy }: Knowledge): z.infer<typeof shape> {
  return { key, kind, title, session, updatedBy };
}

/** The routes about the origin of knowledge. */
export const MEMORY_ROUTES = [trace, showText, confirm, forget];
