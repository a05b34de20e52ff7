// All routes of the API.

import type { AnyRoute } from '../api/http/route.ts';
import { ALL_ON, type Off } from '../contract/switches.ts';
import { AGENT_ROUTES } from '../features/agents/routes.ts';
import { ALERT_FATE_ROUTES } from '../features/alertFates/routes.ts';
import { DROPPED_ALERT_ROUTES } from '../features/alerts/droppedRoutes.ts';
import { ALERT_ROUTES } from '../features/alerts/routes.ts';
import { ANTHROPIC_ROUTES } from '../features/anthropic/routes.ts';
import { APPROVAL_ROUTES } from '../features/approvals/routes.ts';
import { USAGE_ROUTES } from '../features/budgets/routes.ts';
import { CHANGE_ROUTES } from '../features/changes/routes.ts';
import { CHANGE_WEBHOOK_ROUTES } from '../features/changes/webhookRoutes.ts';
import { CHAT_ROUTES } from '../features/chat/routes.ts';
import { CHECK_ROUTES } from '../features/checks/routes.ts';
import { CLAIM_ROUTES } from '../features/claims/routes.ts';
import { GROUPING_ROUTES } from '../features/correlation/routes.ts';
import { SLACK_ROUTES } from '../features/deliveries/inbox/slackRoute.ts';
import { DELIVERY_ROUTES } from '../features/deliveries/routes.ts';
import { FORK_ROUTES } from '../features/fork/routes.ts';
import { GUIDANCE_ROUTES } from '../features/guidance/routes.ts';
import { INTERACTION_ROUTES } from '../features/interactions/routes.ts';
import { MEMORY_ROUTES } from '../features/knowledge/memoryRoutes.ts';
import { KNOWLEDGE_ROUTES } from '../features/knowledge/routes.ts';
import { mcpRoutes } from '../features/mcpServer/mcpRoute.ts';
import { OPENAI_ROUTES } from '../features/openai/routes.ts';
import { POSTMORTEM_ROUTES } from '../features/postmortem/routes.ts';
import { RERUN_ROUTES } from '../features/rerun/routes.ts';
import { RESPONSES_ROUTES } from '../features/responses/routes.ts';
import { SCORE_ROUTES } from '../features/score/routes.ts';
import { DOCUMENT_ROUTES } from '../features/sessions/documentRoutes.ts';
import { EXECUTION_ROUTES } from '../features/sessions/executionsRoutes.ts';
import { SESSION_ROUTES } from '../features/sessions/sessionsRoutes.ts';
import { STEERING_ROUTES } from '../features/sessions/steeringRoutes.ts';
import { CALLER_ROUTES } from '../features/system/callerRoutes.ts';
import { OPERATION_ROUTES } from '../features/system/operationsRoutes.ts';
import { SYSTEM_PART_ROUTES } from '../features/system/systemPartsRoutes.ts';
import { SYSTEM_ROUTES } from '../features/system/systemRoutes.ts';
import { TOPOLOGY_ROUTES } from '../features/topology/routes.ts';
import { WEBHOOK_ROUTES } from '../features/webhooks/routes.ts';
import { WORK_ROUTES } from '../features/work/routes.ts';
import { mcpTools } from './mcpTools.ts';
import { offFeature } from './offRoutes.ts';

/** The routes of a feature; none in a build without it. */
const orNone = <T extends readonly unknown[]>(routes: T): T => routes ?? [];

const allRoutes = (off: Off) =>
  [
    ...ALERT_ROUTES,
    ...ALERT_FATE_ROUTES,
    ...orNone(CHANGE_ROUTES),
    ...SESSION_ROUTES,
    ...EXECUTION_ROUTES,
    ...CLAIM_ROUTES,
    ...DOCUMENT_ROUTES,
    ...orNone(CHECK_ROUTES),
    ...STEERING_ROUTES,
    ...RERUN_ROUTES,
    ...orNone(FORK_ROUTES),
    ...POSTMORTEM_ROUTES,
    ...orNone(TOPOLOGY_ROUTES),
    ...GUIDANCE_ROUTES,
    ...GROUPING_ROUTES,
    ...WORK_ROUTES,
    ...SCORE_ROUTES,
    ...orNone(DELIVERY_ROUTES),
    ...orNone(CHAT_ROUTES),
    ...APPROVAL_ROUTES,
    ...orNone(OPENAI_ROUTES),
    ...orNone(ANTHROPIC_ROUTES),
    ...orNone(RESPONSES_ROUTES),
    ...AGENT_ROUTES,
    ...orNone(KNOWLEDGE_ROUTES),
    ...orNone(MEMORY_ROUTES),
    ...OPERATION_ROUTES,
    ...DROPPED_ALERT_ROUTES,
    ...SYSTEM_ROUTES,
    ...SYSTEM_PART_ROUTES,
    ...USAGE_ROUTES,
    ...CALLER_ROUTES,
    ...mcpRoutes(mcpTools(off)),
    ...WEBHOOK_ROUTES,
    ...INTERACTION_ROUTES,
    ...orNone(CHANGE_WEBHOOK_ROUTES),
    ...orNone(SLACK_ROUTES),
  ] as const satisfies readonly AnyRoute[];

/** All routes, in the order in which the OpenAPI document has them. */
export const ROUTES = allRoutes(ALL_ON);

/** The routes of features that are not off, in the same order. */
export const listRoutes = (off: Off): readonly AnyRoute[] =>
  allRoutes(off).filter(({ path }) => offFeature(off, path) === undefined);

type ListedRoute = (typeof ROUTES)[number];

/** The types of each route by method and path: `RoutesMap['GET /v1/sessions/{sessionId}']['answer']`. */
export type RoutesMap = {
  [R in ListedRoute as `${Uppercase<R['method']>} ${R['path']}`]: NonNullable<R['types']>;
};
