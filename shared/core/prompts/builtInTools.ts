// The built-in tools `search` and `action`, as agents are offered them: always the same bytes.

import type { JsonObject } from '../../text/json.ts';
import type { ToolDefinition } from '../contract/tools.ts';
import { ACTION, SEARCH, SEARCH_CHANGES } from '../schema/agent.ts';

/** Maximum entries of a query, and the default of a call. */
export const MAX_SEARCH_LIMIT = 50;
export const DEFAULT_SEARCH_LIMIT = 20;

/** The argument with which a model names a user to built-in tools. It is accepted and ignored. */
export const USER_ARGUMENT = 'user_id';

/**
 * The arguments of a built-in tool without a user, and without those that are null: models write null for an
 * argument that they leave out. Tools of servers (`server.tool`) get the model's arguments unchanged.
 */
export function ownArguments(tool: string, args: JsonObject): JsonObject {
  if (tool.includes('.')) return args;
  const own = Object.entries(args).filter(([name, value]) => name !== USER_ARGUMENT && value !== null);
  return own.length === Object.keys(args).length ? args : Object.fromEntries(own);
}

/** The tool that asks the knowledge base. */
export const SEARCH_TOOL: ToolDefinition = {
  name: SEARCH,
  description: [
    'Asks the knowledge base: resources, runbooks, and what earlier investigations found. One query:',
    '- LOOKUP key[, key]: shows entries whole',
    '- FUZZY text [THRESHOLD 0.3] [LIMIT 20]: entries with similar words, also misspelt ones',
    '- SEARCH text [IN resources|runbooks|sessions|messages] [LIMIT 20] [MIN_SIMILARITY 0.3]: entries of similar meaning; of resources unless IN says another table',
    '- TRAVERSE key [DEPTH 1] [TYPE a,b]: the entries that an entry links to, at most 4 links away; DEPTH 0 shows only its links',
    'Entries can be outdated. Check them against your findings.',
  ].join('\n'),
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'The query: SEARCH checkout answers slowly IN runbooks LIMIT 3' },
      limit: {
        type: 'integer',
        default: DEFAULT_SEARCH_LIMIT,
        description: `Maximum number of entries: 1 to ${MAX_SEARCH_LIMIT}; a LIMIT in the query takes precedence`,
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  readOnly: true,
};

/** The types of actions. */
export const ACTION_TYPES = [
  'observation',
  'elicit',
  'delegate',
  'patch_schema',
  'set_schema',
  'schema_focus',
  'trigger_save',
] as const;
/** The type of an action. */
export type ActionType = (typeof ACTION_TYPES)[number];

/** Maximum characters of the name that an observation gives its session. */
export const MAX_SESSION_NAME = 120;

/** The tool that records an action in the timeline. Twice records it once: its event is in its result. */
export const ACTION_TOOL: ToolDefinition = {
  name: ACTION,
  description: [
    'Records an action for readers of this investigation. It changes nothing in the systems that you investigate.',
    `- observation: your notes, such as confidence, sources and risk; "session_name" (${MAX_SESSION_NAME} characters at most) gives the investigation a name for readers`,
    '- elicit: asks people a "question", with "options" if there are some; their answer arrives later as a message; continue without it',
    '- delegate: a task for another person',
    '- patch_schema, set_schema, schema_focus, trigger_save: for editors of schemas',
  ].join('\n'),
  inputSchema: {
    type: 'object',
    properties: {
      type: { type: 'string', enum: [...ACTION_TYPES], description: 'The action' },
      payload: { type: 'object', description: 'Its data' },
    },
    required: ['type'],
    additionalProperties: false,
  },
  readOnly: true,
};

/** Hours that a search of changes covers at most: 13 days of two names fit one query. */
export const MAX_CHANGE_HOURS = 312;

/** The tool that searches changes. */
export const SEARCH_CHANGES_TOOL: ToolDefinition = {
  name: SEARCH_CHANGES,
  description: [
    'Searches recorded changes: deployments, configuration, flags, scaling, rights, secrets, schemas, upgrades, incidents of the cloud provider.',
    'Each is shown with its resource, actor, state before and after, and how often its resource changes. A change near in time is no evidence of a cause: check what it did.',
  ].join('\n'),
  inputSchema: {
    type: 'object',
    properties: {
      resource: {
        type: 'string',
        description:
          'A canonical name (k8s:CLUSTER/NAMESPACE/Deployment/NAME) or only the name of a workload, service, repository or flag. Without it: all resources',
      },
      hours: {
        type: 'integer',
        default: 24,
        description: `Hours before the alert: 1 to ${MAX_CHANGE_HOURS}`,
      },
      words: { type: 'string', description: 'Words that are all in the change, in any letter case' },
      limit: {
        type: 'integer',
        default: DEFAULT_SEARCH_LIMIT,
        description: `Maximum number of changes: 1 to ${MAX_SEARCH_LIMIT}`,
      },
    },
    additionalProperties: false,
  },
  readOnly: true,
  yields: 'change',
};
