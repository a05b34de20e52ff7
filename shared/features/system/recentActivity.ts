// The state of tool servers and the open questions of agents, from the newest sessions of a tenant: stored
// calls, so that no server is asked.

import * as z from 'zod';
import { toolRightsSchema } from '../../config/toolRules.ts';
import { listAllDocuments, type RawDocument, type RawDocuments } from '../../contract/rawDocuments.ts';
import { TERMINAL_STATUSES } from '../../core/schema/common.ts';
import { paths } from '../../core/schema/coreDocuments.ts';
import { pinnedToolsType } from '../../kits/agents/pinnedTools.ts';
import { numberAt, textAt, textsInList, timeAt } from '../../kits/views/fieldAt.ts';
import { listSessions } from '../../kits/views/listSessions.ts';

/** Sessions that are read: those that were opened last. */
const MAX_SESSIONS = 20;

/** A server, as far as the newest sessions of a tenant know it. */
const serverState = z.strictObject({
  name: z.string(),
  agents: z.array(z.string()).describe('The agents that can use it'),
  ...toolRightsSchema.shape,
  lastAnswer: z
    .strictObject({
      outcome: z
        .enum(['answered', 'error', 'unanswered', 'unknown', 'unreachable'])
        .describe(
          '`error`: the answer reports an error. `unanswered`: none came in time. `unknown`: the call was interrupted. `unreachable`: the last attempt to connect failed',
        ),
      at: z.string(),
      sessionId: z.string(),
      tool: z.string().nullable().describe('Null where no tool was called'),
      durationMs: z.number().nullable(),
      eventId: z.string().nullable().describe('The event of the result; null where no tool was called'),
    })
    .nullable()
    .describe('Null if none of the sessions called it'),
  tools: z.array(z.string()).describe('As it listed them last; empty if that is not known'),
  listedAt: z.string().nullable().describe('When a session first got this list'),
});

/** Tool servers with their last answers, and open questions of agents. */
export const systemActivitySchema = z.strictObject({
  servers: z.array(serverState),
  questions: z
    .array(
      z.strictObject({
        sessionId: z.string(),
        eventId: z.string(),
        question: z.string().describe('With its options: untrusted text'),
        at: z.string(),
      }),
    )
    .describe('Questions of agents that run, which no person has answered; the oldest first'),
  sessions: z.int().describe('Number of sessions that were read: the newest ones of the tenant'),
  since: z.string().nullable().describe('When the earliest of them was opened'),
});
type SystemActivity = z.infer<typeof systemActivitySchema>;
type ServerState = Pick<SystemActivity['servers'][number], 'lastAnswer' | 'tools' | 'listedAt'>;
type LastAnswer = NonNullable<ServerState['lastAnswer']>;

type RecentActivity = Omit<SystemActivity, 'servers'> & { servers: ReadonlyMap<string, ServerState> };

/** A session with its documents about servers. */
interface ServerFacts {
  sessionId: string;
  isRunning: boolean;
  /** When its last execution ended, in ISO 8601; a late text while one runs. */
  lastAt: string;
  executions: RawDocument[];
  /** The servers that listed their tools. */
  listed: RawDocument[];
}

const ENDED = new Set<string>([...TERMINAL_STATUSES, 'deferred']);
/** Sorts after every time. */
const STILL = '~';
const EVENT_FIELDS = [
  'eventType',
  'createdAt',
  'metadata.toolName',
  'metadata.isError',
  'metadata.durationMs',
  'metadata.outcome',
  'metadata.actionType',
];

/**
 * Reads the 20 newest sessions of a tenant: two small collections of each, and the events of those that run
 * or that a server answered later than in the sessions before.
 * @throws RetryableError when the store fails.
 */
export async function readRecentActivity(tenantId: string, documents: RawDocuments): Promise<RecentActivity> {
  const request = { filter: {}, limit: MAX_SESSIONS, fields: ['status'] };
  const { found = [] } = (await listSessions(request, tenantId, documents)) ?? {};
  const facts = await Promise.all(found.map((session) => readFacts(session, documents)));
  const servers = new Map<string, ServerState>();
  const questions: SystemActivity['questions'] = [];
  for (const session of facts.sort((a, b) => (a.lastAt > b.lastAt ? -1 : 1))) {
    const isNews = addLists(servers, session);
    if (!session.isRunning && !isNews) continue;
    const events = await listAllDocuments(paths.timeline(session.sessionId), EVENT_FIELDS, documents);
    for (const event of events) addAnswer(servers, event, session);
    if (session.isRunning) questions.push(...(await readQuestions(session.sessionId, events, documents)));
  }
  return {
    servers,
    questions: questions.sort((a, b) => (a.at < b.at ? -1 : 1)),
    sessions: found.length,
    since: found.flatMap(({ fields }) => timeAt(fields, 'createdAt') ?? []).sort()[0] ?? null,
  };
}

async function readFacts({ id, fields }: RawDocument, documents: RawDocuments): Promise<ServerFacts> {
  const [executions, listed] = await Promise.all([
    listAllDocuments(paths.executions(id), ['missingServers', 'hungServers', 'endedAt'], documents),
    listAllDocuments(pinnedToolsType.paths.allPinnedTools(id), ['server', 'tools', 'createdAt'], documents),
  ]);
  const ends = executions.map((one) => timeAt(one.fields, 'endedAt') ?? STILL);
  const isRunning = !ENDED.has(textAt(fields, 'status') ?? '');
  return { sessionId: id, isRunning, lastAt: ends.sort().at(-1) ?? '', executions, listed };
}

/** Adds lists of tools, and unreachable servers. @returns whether a call can be newer. */
function addLists(servers: Map<string, ServerState>, session: ServerFacts): boolean {
  const { sessionId, executions, listed, lastAt } = session;
  for (const { fields, updatedAt } of executions)
    for (const name of textsInList(fields, ['missingServers'], 'name')) {
      const at = timeAt(fields, 'endedAt') ?? updatedAt;
      const none = { tool: null, durationMs: null, eventId: null };
      keepLatest(servers, name, { outcome: 'unreachable', at, sessionId, ...none });
    }
  let isNews = false;
  for (const { fields } of listed) {
    const name = textAt(fields, 'server') ?? '';
    const listedAt = timeAt(fields, 'createdAt');
    const state = stateIn(servers, name);
    if (listedAt !== null && listedAt > (state.listedAt ?? '')) {
      const tools = textsInList(fields, ['tools'], 'name').map((tool) => tool.slice(name.length + 1));
      servers.set(name, { ...state, tools, listedAt });
    }
    isNews ||= lastAt > (state.lastAnswer?.at ?? '');
  }
  return isNews;
}

/** Adds the result of a call of a server. */
function addAnswer(servers: Map<string, ServerState>, event: RawDocument, session: ServerFacts): void {
  const { id, fields } = event;
  const tool = textAt(fields, 'metadata', 'toolName') ?? '';
  const at = timeAt(fields, 'createdAt');
  if (textAt(fields, 'eventType') !== 'tool_result' || !tool.includes('.') || at === null) return;
  const name = tool.slice(0, tool.indexOf('.'));
  const metadata = fields.get('metadata');
  const isError = metadata instanceof Map && metadata.get('isError') === true;
  const hangs = session.executions.some(
    (one) => id.startsWith(`${one.id}.`) && textsInList(one.fields, ['hungServers'], 'name').includes(name),
  );
  const isUnknown = textAt(fields, 'metadata', 'outcome') === 'unknown';
  keepLatest(servers, name, {
    outcome: isUnknown ? 'unknown' : !isError ? 'answered' : hangs ? 'unanswered' : 'error',
    at,
    sessionId: session.sessionId,
    tool,
    durationMs: numberAt(fields, 'metadata', 'durationMs'),
    eventId: id,
  });
}

const stateIn = (servers: ReadonlyMap<string, ServerState>, name: string): ServerState =>
  servers.get(name) ?? { lastAnswer: null, tools: [], listedAt: null };

function keepLatest(servers: Map<string, ServerState>, name: string, answer: LastAnswer): void {
  const state = stateIn(servers, name);
  if (state.lastAnswer === null || answer.at >= state.lastAnswer.at)
    servers.set(name, { ...state, lastAnswer: answer });
}

/** The last question of a session, unless a person wrote afterwards, as on the card of its page. */
async function readQuestions(
  sessionId: string,
  events: readonly RawDocument[],
  documents: Pick<RawDocuments, 'getMany'>,
): Promise<SystemActivity['questions']> {
  const last = events
    .filter(isOfQuestion)
    .toSorted((a, b) =>
      (timeAt(a.fields, 'createdAt') ?? '') < (timeAt(b.fields, 'createdAt') ?? '') ? -1 : 1,
    )
    .at(-1);
  if (last === undefined || textAt(last.fields, 'eventType') !== 'action') return [];
  const [event] = await documents.getMany([last.path], ['content']);
  const question = event && textAt(event.fields, 'content');
  const at = timeAt(last.fields, 'createdAt');
  return question == null || at === null ? [] : [{ sessionId, eventId: last.id, question, at }];
}

/** Whether an event asks people, or is a message of a person. */
function isOfQuestion({ fields }: RawDocument): boolean {
  const type = textAt(fields, 'eventType');
  if (type === 'action') return textAt(fields, 'metadata', 'actionType') === 'elicit';
  return type === 'user_guidance' || type === 'user_question';
}
