// Pages of the approvals that wait, in the API and the command.

import { expect, it } from 'vitest';
import { createDocument } from '../../../shared/core/contract/store.ts';
import { approvalType, paths, sessionType } from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { callCommand } from '../../support/callCommand.ts';
import { sampleApproval, sampleSession } from '../../support/samples.ts';

it('lists each open approval of a tenant once, whatever its page, and reads no further than a page', async () => {
  const api = await startApiBench({ script: { conversations: [{ turns: [{ text: 'Done.' }] }] } });
  const { store, clock } = api.deps;
  const until = (n: number) => new Date(clock.now().getTime() + (n % 3 === 0 ? -1 : 60 - n) * 60_000);
  const all = Array.from({ length: 24 }, (_, n) => ({
    approvalId: `appro-${String(n).padStart(5, '0')}`,
    sessionId: n % 2 === 0 ? 'own' : 'other',
    until: until(n),
  }));
  await store.commit([
    ...['own', 'other'].map((sessionId) =>
      createDocument(
        paths.session(sessionId),
        sessionType,
        sampleSession({ sessionId, tenantId: sessionId === 'own' ? 'default' : 'acme' }),
      ),
    ),
    ...all.map((one) => createDocument(paths.approval(one.approvalId), approvalType, sampleApproval(one))),
  ]);
  const open = all
    .filter(({ sessionId, until: end }) => sessionId === 'own' && end > clock.now())
    .map(({ approvalId }) => approvalId);
  const pages: string[][] = [];
  for (let after = ''; ; ) {
    const { body } = await api.ask(`/v1/approvals?limit=5${after && `&after=${after}`}`);
    const ends = body.approvals.map((one: { until: string }) => one.until);
    expect(ends).toEqual(ends.toSorted());
    pages.push(body.approvals.map((one: { approvalId: string }) => one.approvalId));
    if (body.next === null) break;
    after = body.next;
  }
  expect(pages).toHaveLength(5);
  expect(pages.flat().sort()).toEqual(open);
  expect((await api.ask('/v1/approvals?limit=0')).status).toBe(400);

  const env = { GOOGLE_CLOUD_PROJECT: api.projectId, NO_COLOR: '1' };
  const ids = (lines: readonly string[]) => lines.map((line) => JSON.parse(line).approvalId).sort();
  expect(ids((await callCommand(['approvals', '--json'], env)).stdout)).toEqual(open);
  const some = await callCommand(['approvals', '--json', '--limit', '3'], env);
  expect(some.stdout).toHaveLength(3);
  const [, after = ''] = /more: --after (\S+)/.exec(some.stderr.join('\n')) ?? [];
  const rest = await callCommand(['approvals', '--json', '--after', after], env);
  expect(ids([...some.stdout, ...rest.stdout])).toEqual(open);
});
