// Routes of guidance: give it, and list it.

import * as z from 'zod';
import { notSteered } from '../../api/http/notSteered.ts';
import { invalidField, Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { pageQuery, sessionParams, textSchema } from '../../api/http/schemas.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import { addGuidance, guidanceFault, MAX_GUIDANCE } from '../../kits/steering/addGuidance.ts';
import { guidanceStateSchema, listGuidance } from '../../kits/views/listGuidance.ts';
import { nextSchema } from '../../kits/views/readPage.ts';

const ofSession = { method: 'post', role: 'responder', params: sessionParams } as const;

const guide = defineRoute({
  ...ofSession,
  path: '/v1/sessions/{sessionId}/guidance',
  id: 'tellSession',
  summary: 'Gives guidance to the agents of an investigation',
  description:
    'Every agent gets it with its next model call. The same text by the same person is stored once.',
  body: z.strictObject({ text: textSchema }),
  status: 200,
  answer: z.strictObject({
    outcome: z.enum(['told', 'told_before']),
    guidance: guidanceStateSchema.shape.guidance,
    isPaused: z.boolean(),
  }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE'],
  async handle({ params: { sessionId }, body: { text }, caller }, deps) {
    const fault = guidanceFault(text);
    if (fault !== undefined) throw invalidField('body.text', fault);
    const outcome = await addGuidance(sessionId, { text, by: caller.name }, deps);
    switch (outcome.kind) {
      case 'told':
      case 'told_before': {
        const { expireAt: _, ...guidance } = outcome.guidance;
        return { outcome: outcome.kind, guidance, isPaused: outcome.isPaused };
      }
      case 'concluded':
        throw new Problem(
          'SESSION_STATE',
          `session ${sessionId} has its analysis; only its summary is being written, so no agent would read it`,
        );
      case 'too_many':
        throw new Problem(
          'SESSION_STATE',
          `session ${sessionId} has ${MAX_GUIDANCE} pieces of guidance, the maximum`,
        );
      default:
        throw notSteered(sessionId, outcome, 'no agent would read it');
    }
  },
});

const listGiven = defineRoute({
  ...ofSession,
  method: 'get',
  role: 'viewer',
  path: '/v1/sessions/{sessionId}/guidance',
  id: 'listGuidance',
  summary: 'The guidance of a session, and the agents that have read it',
  query: z.strictObject(pageQuery()),
  status: 200,
  answer: z.strictObject({
    guidance: z.array(guidanceStateSchema),
    unreadable: unreadableSchema,
    next: nextSchema,
  }),
  async handle({ params: { sessionId }, query }, { store }) {
    const { items: guidance, ...page } = await listGuidance(sessionId, store, query);
    return { guidance, ...page };
  },
});

/** All routes of guidance. */
export const GUIDANCE_ROUTES = [guide, listGiven];
