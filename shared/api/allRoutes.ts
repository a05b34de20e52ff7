// All routes of the API.

import { MCP_ROUTES } from './mcp/mcpRoute.ts';
import { AGENT_ROUTES } from './routes/agents.ts';
import { ALERT_FATE_ROUTES } from './routes/alertFates.ts';
import { ALERT_ROUTES } from './routes/alerts.ts';
import { APPROVAL_ROUTES } from './routes/approvals.ts';
import { CALLER_ROUTES } from './routes/caller.ts';
import { CHANGE_ROUTES } from './routes/changes/changes.ts';
import { CHAT_ROUTES } from './routes/chat.ts';
import { CHECK_ROUTES } from './routes/checks/checks.ts';
import { DELIVERY_ROUTES } from './routes/deliveries.ts';
import { DOCUMENT_ROUTES } from './routes/documents/documents.ts';
import { KNOWLEDGE_ROUTES } from './routes/knowledge.ts';
import { MEMORY_ROUTES } from './routes/memory.ts';
import { OPENAI_ROUTES } from './routes/openai.ts';
import { OPERATION_ROUTES } from './routes/operations.ts';
import { CLAIM_ROUTES } from './routes/session/claims.ts';
import { EXECUTION_ROUTES } from './routes/session/executions.ts';
import { GROUPING_ROUTES } from './routes/session/grouping.ts';
import { SESSION_ROUTES } from './routes/session/sessions.ts';
import { STEERING_ROUTES } from './routes/session/steering.ts';
import { WORK_ROUTES } from './routes/session/work.ts';
import { SLACK_ROUTES } from './routes/slack.ts';
import { SYSTEM_ROUTES } from './routes/system.ts';
import { SYSTEM_PART_ROUTES } from './routes/systemParts.ts';
import { USAGE_ROUTES } from './routes/usage.ts';
import { WEBHOOK_ROUTES } from './routes/webhooks.ts';

/** All routes, in the order in which the OpenAPI document has them. */
export const ROUTES = [
  ...ALERT_ROUTES,
  ...ALERT_FATE_ROUTES,
  ...CHANGE_ROUTES,
  ...SESSION_ROUTES,
  ...EXECUTION_ROUTES,
  ...CLAIM_ROUTES,
  ...DOCUMENT_ROUTES,
  ...CHECK_ROUTES,
  ...STEERING_ROUTES,
  ...GROUPING_ROUTES,
  ...WORK_ROUTES,
  ...DELIVERY_ROUTES,
  ...CHAT_ROUTES,
  ...APPROVAL_ROUTES,
  ...OPENAI_ROUTES,
  ...AGENT_ROUTES,
  ...KNOWLEDGE_ROUTES,
  ...MEMORY_ROUTES,
  ...OPERATION_ROUTES,
  ...SYSTEM_ROUTES,
  ...SYSTEM_PART_ROUTES,
  ...USAGE_ROUTES,
  ...CALLER_ROUTES,
  ...MCP_ROUTES,
  ...WEBHOOK_ROUTES,
  ...SLACK_ROUTES,
] as const;

type ListedRoute = (typeof ROUTES)[number];

/** The types of each route by method and path: `RoutesMap['GET /v1/sessions/{sessionId}']['answer']`. */
export type RoutesMap = {
  [R in ListedRoute as `${Uppercase<R['method']>} ${R['path']}`]: NonNullable<R['types']>;
};
