// Routes of tool calls that wait for a person's decision.

import * as z from 'zod';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { pageQuery, reasonSchema } from '../../api/http/schemas.ts';
import { readSystemControl } from '../../core/kernel/systemPause.ts';
import { approvalSchema } from '../../core/schema/approval.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import { decideApproval } from '../../kits/approvals/decideApproval.ts';
import { readApprovalPage } from '../../kits/views/listApprovals.ts';
import { nextSchema } from '../../kits/views/readPage.ts';

const approvalIdSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,499}$/);

const list = defineRoute({
  method: 'get',
  path: '/v1/approvals',
  id: 'listApprovals',
  summary: 'Tool calls that wait for approval; those of a page by expiry',
  query: z.strictObject(pageQuery({ note: 'those of other tenants are left out' })),
  role: 'viewer',
  status: 200,
  answer: z.strictObject({
    approvals: z.array(approvalSchema),
    unreadable: unreadableSchema,
    next: nextSchema,
    now: z.date(),
  }),
  async handle({ query }, deps) {
    const { pause } = await readSystemControl(deps);
    const now = deps.clock.now();
    return { ...(await readApprovalPage({ ...query, now: pause?.at ?? now }, deps)), now };
  },
});

const decide = defineRoute({
  method: 'post',
  path: '/v1/approvals/{approvalId}',
  id: 'decideApproval',
  summary: 'Approves or denies a tool call; the first decision counts',
  role: 'responder',
  params: z.strictObject({ approvalId: approvalIdSchema }),
  body: z.strictObject({
    verdict: z.enum(['approved', 'denied']),
    reason: reasonSchema.describe('Why, for the agent and for readers of the timeline'),
  }),
  status: 200,
  answer: z.strictObject({
    outcome: z.enum(['decided', 'already_decided', 'expired', 'ended']),
    approval: approvalSchema,
  }),
  problems: ['NOT_FOUND'],
  async handle({ params: { approvalId }, body: { verdict, reason = null }, caller }, deps) {
    const outcome = await decideApproval(approvalId, { verdict, reason, by: caller.name }, deps);
    if (outcome.kind === 'unknown')
      throw new Problem(
        'NOT_FOUND',
        `there is no approval ${approvalId}; GET /v1/approvals lists the open ones`,
      );
    return { outcome: outcome.kind, approval: outcome.approval };
  },
});

/** All routes for approvals. */
export const APPROVAL_ROUTES = [list, decide];
