// The parts of the installation as the API returns them: allow-lists, so that a new setting is shown only when it is added.

import * as z from 'zod';
import { CHECK_DELIVERIES } from '../../schema/features/check.ts';

/** What the tools of a server can do, as servers.yaml states it. */
export const toolRights = {
  access: z.enum(['read', 'write']).nullable(),
  readOnly: z.array(z.string()).describe('Names and patterns of tools that only read'),
  trustHints: z.boolean().describe('Whether tools that the server marks as read-only count as such'),
  approvals: z
    .array(z.strictObject({ tool: z.string(), approval: z.enum(['required', 'none']) }))
    .describe('Tools that change something, and whether a person approves each call'),
};

const serverState = z.strictObject({
  name: z.string(),
  agents: z.array(z.string()).describe('The agents that can use it'),
  ...toolRights,
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
export const activitySchema = z.strictObject({
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
  now: z.date(),
});

const limit = z.int().nullable().describe('Null: no limit');

/** The configuration as it is loaded, with the use of its limits. */
export const configurationSchema = z.strictObject({
  version: z.string().describe('Of Inquest'),
  servers: z.array(
    z.strictObject({
      name: z.string(),
      transport: z.enum(['stdio', 'http', 'recorded']).nullable(),
      instances: z.array(z.string()),
      limits: z.strictObject({ concurrency: limit, perMinute: limit, bytesPerHour: limit }),
      use: z
        .strictObject({
          running: z.int().nullable(),
          calls: z.int().nullable().describe('Of the current minute'),
          bytes: z.int().nullable().describe('Of the current hour'),
        })
        .describe('Null without a limit: nothing is counted'),
    }),
  ),
  models: z.array(
    z.strictObject({
      name: z.string(),
      provider: z.string(),
      model: z.string(),
      isDefault: z.boolean(),
      limits: z.strictObject({ rpm: limit, tpm: limit }),
      use: z
        .strictObject({
          requests: z.int(),
          tokens: z.int(),
          isSlowed: z.boolean().describe('Whether half of the limits counts, after the provider refused'),
        })
        .nullable()
        .describe('Of the current minute; null without limits'),
      outage: z
        .strictObject({ since: z.date(), answeredAt: z.date().nullable() })
        .nullable()
        .describe('The last outage for which agents waited long; `answeredAt` is null while it lasts'),
    }),
  ),
  chains: z.array(
    z.strictObject({
      name: z.string(),
      isDefault: z.boolean(),
      stages: z.array(z.strictObject({ name: z.string(), agents: z.array(z.string()) })),
      alertRules: z.int().describe('Rules that lead alerts to it'),
      deadlineMs: z.int().describe('Time limit of a session'),
      sessionsPerHour: z.array(z.int()).describe('Each limit of sessions that alerts open within an hour'),
    }),
  ),
  agents: z.int().describe('Agents of the files'),
  destinations: z.array(z.strictObject({ name: z.string(), kind: z.string() })),
  webhooks: z.array(z.string()).describe('Sources that can send webhooks'),
  schedules: z.array(
    z.strictObject({ name: z.string(), cron: z.string(), onlyIf: z.enum(CHECK_DELIVERIES) }),
  ),
  triage: z.array(z.strictObject({ rule: z.string(), action: z.enum(['investigate', 'record', 'drop']) })),
  runbooks: z.int().describe('Runbooks of the files'),
  skills: z.int(),
  retentionMs: z.int().describe('Milliseconds until a session is deleted'),
  now: z.date(),
});
