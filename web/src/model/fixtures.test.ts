// Fixtures are answers of the API: a page that is tested with other ones is not tested.

import { expect, it } from 'vitest';
import * as z from 'zod';
import { ROUTES } from '../../../shared/api/allRoutes.ts';
import { openApiDocument } from '../../../shared/api/pages/openApi.ts';
import { loadFixtures } from '../../dev/loadFixtures.ts';

type Schema = Parameters<typeof z.fromJSONSchema>[0];

interface Answers {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content: Record<string, { schema: Schema }> }> }>
  >;
}
const { paths } = openApiDocument(ROUTES) as unknown as Answers;

/** The schema of the JSON that a route answers with. */
function answerOf(path: string) {
  const schema = paths[path]?.get?.responses['200']?.content['application/json']?.schema;
  if (schema === undefined) throw new Error(`no route GET ${path}`);
  return z.fromJSONSchema(schema);
}

const view = answerOf('/v1/sessions/{sessionId}');

it.each(loadFixtures().sessions.map((one) => [one.row.sessionId, one] as const))(
  'the fixture %s has the fields of the API',
  (_id, session) => {
    const issues = view.safeParse(session.view).error?.issues ?? [];
    // The hostile one has texts that no name may have.
    expect(issues.filter(({ code }) => code !== 'invalid_format')).toEqual([]);
  },
);
