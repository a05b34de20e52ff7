// The route of the claims of a session: hypotheses, evidence and the verdict.

import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { sessionParams } from '../../api/http/schemas.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { outcomeType } from '../../kits/alerts/outcome.ts';
import { readSessionClaims } from '../../kits/claims/sessionClaims.ts';
import { claimsSchema, claimsView } from './claimsView.ts';

const getClaims = defineRoute({
  method: 'get',
  role: 'viewer',
  status: 200,
  path: '/v1/sessions/{sessionId}/claims',
  id: 'getClaims',
  summary: 'The claims of a session, checked in the stored results, and the verdict',
  params: sessionParams,
  answer: claimsSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { sessionId } }, { store, clock }) {
    const claims = await readSessionClaims(sessionId, store, clock.now());
    if (claims === undefined) throw new Problem('NOT_FOUND', `there is no session ${sessionId}`);
    const stored = await captureFailure(store.get(outcomeType.paths.outcome(sessionId), outcomeType));
    const view = claimsView(claims, stored.value?.value);
    const { failure } = stored;
    if (failure === undefined) return view;
    const fault = {
      path: outcomeType.paths.outcome(sessionId),
      code: failure.code,
      message: failure.message,
    };
    return { ...view, unreadable: [...view.unreadable, fault] };
  },
});

/** The route of claims. */
export const CLAIM_ROUTES = [getClaims];
