// Routes of forks: opens one, and compares it with its source.

import * as z from 'zod';
import { invalidField, Problem } from '../../api/http/problem.ts';
import { questionProblem } from '../../api/http/questionProblem.ts';
import { callerIdentity, defineRoute, type RequestDeps } from '../../api/http/route.ts';
import { sessionParams, textSchema, unknownSession } from '../../api/http/schemas.ts';
import { parseYaml } from '../../config/yamlFile.ts';
import { TerminalError } from '../../core/errors.ts';
import type { PlannedAgent } from '../../core/schema/agent.ts';
import { guidanceFault } from '../../kits/steering/addGuidance.ts';
import { FORK_TOOLS } from '../../schema/forkPart.ts';
import { asObject } from '../../text/json.ts';
import { compareFork, forkComparisonSchema } from './compareFork.ts';
import { type ForkOutcome, openFork } from './openFork.ts';

const bodySchema = z.strictObject({
  at: z.string().min(1).max(500).describe('The event, `EXECUTION.NUMBER`: `01-lead.7`'),
  model: z.string().min(1).max(200).optional().describe("The provider's id of the model of all agents"),
  say: textSchema.optional().describe('Text that is added to the conversation, as guidance'),
  agent: z
    .string()
    .min(1)
    .max(150_000)
    .optional()
    .describe('As agents/NAME.yaml: the agent that continues, in place of its own'),
  tools: z
    .enum(FORK_TOOLS)
    .default('recorded')
    .describe('`recorded`: stored results answer equal calls. `live`: servers answer calls that only read'),
});

const fork = defineRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/forks',
  id: 'forkSession',
  summary: 'Opens a session that continues the conversation of an agent up to an event',
  description:
    'An event of a result stands for all results of its answer; any other event for the request before its answer. Calls that can change something wait for a new approval and reach no server.',
  role: 'responder',
  params: sessionParams,
  body: bodySchema,
  status: 202,
  answer: z.strictObject({ sessionId: z.string() }),
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE', 'BUDGET_REACHED', 'CONFIG_UNKNOWN_CHAIN'],
  async handle({ params: { sessionId }, body, caller }, deps, context) {
    const { say, agent, ...given } = body;
    const fault = say === undefined ? undefined : guidanceFault(say);
    if (fault !== undefined) throw invalidField('body.say', fault);
    const header = context.req.header('idempotency-key');
    const request = {
      ...given,
      say,
      agent: agent === undefined ? undefined : planAgent(agent, deps),
      by: caller.name,
      userId: caller.userId,
      key: header && `${callerIdentity(caller)} ${header}`,
    };
    const outcome = await openFork(sessionId, request, deps.config, deps);
    if (outcome.kind !== 'forked') throw forkProblem(sessionId, outcome, deps.clock.now());
    return { sessionId: outcome.sessionId };
  },
});

const compare = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/fork',
  id: 'compareFork',
  summary: 'A fork beside its source: the first difference, verdicts and costs',
  role: 'viewer',
  params: sessionParams,
  status: 200,
  answer: forkComparisonSchema,
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE'],
  async handle({ params: { sessionId } }, deps) {
    const compared = await compareFork(sessionId, deps);
    if (compared === undefined) throw unknownSession(sessionId);
    if (compared === 'no_fork') throw new Problem('SESSION_STATE', `session ${sessionId} is no fork`);
    return compared;
  },
});

/** The agent of a text. @throws Problem `REQUEST_INVALID` with its faults. */
function planAgent(yaml: string, { config }: RequestDeps): PlannedAgent {
  const { agents } = config;
  if (agents === undefined) throw invalidField('body.agent', 'no agents are configured');
  try {
    const file = 'the agent';
    const { name } = asObject(asObject(parseYaml(file, yaml).value).json_schema_extra);
    const text = { name: typeof name === 'string' ? name : 'fork', yaml, file };
    agents.check(text);
    return agents.plan(text.name, {}, text);
  } catch (error) {
    throw error instanceof TerminalError ? invalidField('body.agent', error.message) : error;
  }
}

function forkProblem(
  sessionId: string,
  outcome: Exclude<ForkOutcome, { kind: 'forked' }>,
  now: Date,
): Problem {
  switch (outcome.kind) {
    case 'no_place':
      return invalidField('body.at', outcome.reason);
    case 'too_large':
      return new Problem(
        'SESSION_STATE',
        `the conversation has ${outcome.bytes} bytes, and a fork copies at most 50 MB; use an earlier event`,
      );
    case 'too_deep':
      return new Problem(
        'SESSION_STATE',
        `session ${sessionId} is a fork of a fork ten times; fork an earlier one`,
      );
    default:
      return questionProblem(sessionId, outcome, now);
  }
}

/** All routes of forks. */
export const FORK_ROUTES = [fork, compare];
