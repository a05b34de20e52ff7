// Steps of a session, with the types of their events.

import type { ParametersOf } from '../../../shared/client/routes.ts';
import type { AnswerOf, TimelineEvent } from '../../../shared/lists/apiTypes.ts';
import { api } from './client.ts';

type Route = 'GET /v1/sessions/{sessionId}/timeline';

/** A page of a timeline. */
export type TimelinePage = Omit<AnswerOf<Route>, 'events'> & { events: TimelineEvent[] };

/** Reads a page. The route's schema leaves events open: newer servers have more types of them. */
export const readSteps = (parameters: ParametersOf<Route>, left?: AbortSignal) =>
  api.get('/v1/sessions/{sessionId}/timeline', parameters, left) as Promise<TimelinePage>;
