// The routes by which a person corrects the grouping of alerts: split and merge.

import * as z from 'zod';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute } from '../../api/http/route.ts';
import { sessionParams, unknownSession } from '../../api/http/schemas.ts';
import { TOPICS } from '../../core/contract/publisher.ts';
import { deriveAlertKey } from '../../kits/alerts/sessionId.ts';
import { mergeSession } from './mergeSession.ts';
import { splitAlert } from './splitAlert.ts';

const ofSession = { method: 'post', role: 'responder', params: sessionParams } as const;

const split = defineRoute({
  ...ofSession,
  path: '/v1/sessions/{sessionId}/split',
  id: 'splitAlert',
  summary:
    'Takes an alert that joined a session, or was merged into it, out of it: its problem gets its own session',
  description:
    'The alert is published again; `findAlert` returns its session as soon as there is one. Repeating the request opens no second one.',
  body: z.strictObject({
    messageId: z.string().min(1).max(200).describe('As `listAlerts` shows it; of a merged session, its id'),
  }),
  status: 202,
  answer: z.strictObject({
    outcome: z.enum(['split', 'already_split']),
    alertKey: z.string().describe('For `findAlert`'),
  }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE', 'PUBLISH_FAILED'],
  async handle({ params: { sessionId }, body: { messageId }, caller }, deps) {
    const outcome = await splitAlert({ sessionId, messageId, by: caller.name }, deps);
    const refuse = (why: string) => new Problem('SESSION_STATE', `message ${messageId}: ${why}`);
    switch (outcome.kind) {
      case 'split':
      case 'already_split': {
        const { kind, data, attributes } = outcome;
        const copyId = await deps.publisher.publish(TOPICS.alerts, data, attributes);
        return { outcome: kind, alertKey: deriveAlertKey({ messageId: copyId, attributes, data }) };
      }
      case 'unknown_session':
        throw unknownSession(sessionId);
      case 'not_joined':
        throw refuse(
          `no rule and no merge added it to session ${sessionId}; see \`listAlerts\` with this session`,
        );
      case 'no_body':
        throw refuse('its body was not kept, so it cannot be published again; its source has to send it');
    }
  },
});

const merge = defineRoute({
  ...ofSession,
  path: '/v1/sessions/{sessionId}/merge',
  id: 'mergeSession',
  summary:
    'Merges a session that has not ended into a second one: that one takes its alert and further reports',
  description: 'The merged session ends as cancelled. Repeating the request has no effect.',
  body: z.strictObject({ into: sessionParams.shape.sessionId.describe('The session that stays') }),
  status: 200,
  answer: z.strictObject({ outcome: z.enum(['merged', 'already_merged']) }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE'],
  async handle({ params: { sessionId }, body: { into }, caller }, deps) {
    const outcome = await mergeSession({ sessionId, into, by: caller.name }, deps);
    const refuse = (id: string, why: string) => new Problem('SESSION_STATE', `session ${id} ${why}`);
    switch (outcome.kind) {
      case 'merged':
      case 'already_merged':
        return { outcome: outcome.kind };
      case 'unknown_session':
        throw unknownSession(outcome.sessionId);
      case 'same_session':
        throw refuse(sessionId, 'cannot be merged into itself');
      case 'no_alert':
        throw refuse(outcome.sessionId, 'has no alert: a question opened it');
      case 'ended':
        throw refuse(sessionId, `has ended (${outcome.status}) and cannot be merged`);
      case 'not_open':
        throw refuse(into, `takes no alerts (${outcome.status}): it has concluded or waits for a user`);
      case 'too_many':
        throw refuse(sessionId, 'has more problems than one request can move');
    }
  },
});

/** The routes that correct the grouping of alerts. */
export const GROUPING_ROUTES = [split, merge];
