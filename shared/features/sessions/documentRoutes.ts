// The route of the stored documents of a session, for recordings.

import * as z from 'zod';
import { invalidField, Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { sessionParams } from '../../api/http/schemas.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { documentPageSchema, readDocumentPage } from '../../kits/views/documents/sessionDocuments.ts';

const PAGE_BYTES = 800_000;
const PATH = /^[A-Za-z0-9][A-Za-z0-9._~/-]{0,1000}$/;

const listDocuments = defineRoute({
  method: 'get',
  role: 'admin',
  status: 200,
  path: '/v1/sessions/{sessionId}/documents',
  id: 'listDocuments',
  summary: 'The stored documents of a session, in pages that end after 800 kB',
  description:
    'What `inquest record` writes: with thoughts, data of providers and whole results, masked as stored. The key of masking is replaced by zeros. The fields are those of the database, and change with its versions.',
  params: sessionParams,
  query: z.strictObject({
    after: z.string().regex(PATH).optional().describe('`next` of the previous page'),
    running: z
      .enum(['true', 'false'])
      .default('false')
      .describe('Whether a session that has not ended is read, too; its documents change meanwhile'),
  }),
  answer: documentPageSchema,
  problems: ['NOT_FOUND', 'SESSION_STATE'],
  async handle({ params: { sessionId }, query: { after, running } }, { store }) {
    const session = await store.get(paths.session(sessionId), sessionType);
    if (session === undefined) throw new Problem('NOT_FOUND', `there is no session ${sessionId}`);
    const { status } = session.value;
    if (!isTerminal(status) && running === 'false')
      throw new Problem(
        'SESSION_STATE',
        `session ${sessionId} is ${status}; read its documents after its end`,
      );
    try {
      return await readDocumentPage({ sessionId, after, bytes: PAGE_BYTES }, store);
    } catch (error) {
      throw error instanceof RangeError ? invalidField('after', error.message) : error;
    }
  },
});

/** The route of documents. */
export const DOCUMENT_ROUTES = [listDocuments];
