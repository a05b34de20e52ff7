// The events that programs get on the topic `inquest-events`: their types and the schemas of their data,
// which are published as JSON Schema in docs/events/.

import * as z from 'zod';
import type { DeliveryEvent } from '../contract/destination.ts';

const NAMESPACE = 'com.inquest';
const link = z.strictObject({ title: z.string(), url: z.url() });
const instant = z.iso.datetime();

const sessionData = z.strictObject({
  sessionId: z.string().describe('Id of the session.'),
  tenantId: z.string().describe('The tenant that owns the session.'),
  chain: z.string().describe('The chain that investigates.'),
  status: z
    .string()
    .describe('Status of the session: in_progress, completed, failed, timed_out, cancelled, …'),
  severity: z.string().nullable().describe('Severity of the alert; null without one.'),
  source: z.string().nullable().describe('The adapter that read the alert; null for a chat.'),
  problem: z
    .strictObject({
      status: z.string().describe('firing, resolved, acknowledged, test or unknown.'),
      at: instant.nullable().describe('Since when it fires, or when it was resolved.'),
      repeats: z.int().describe('Reports that it fires, after the first one of the session.'),
    })
    .nullable()
    .describe('The state of the problem at the source of the alert; null without an alert.'),
  createdAt: instant,
  endedAt: instant.nullable().describe('null while the session is open.'),
});

const messageData = z.strictObject({
  status: z
    .string()
    .describe('running, waiting, completed, failed, cancelled, timed_out, deferred or notice.'),
  title: z.string(),
  text: z.string().describe('The whole message in one sentence.'),
  location: z
    .string()
    .nullable()
    .describe('Service, namespace, cluster and project of the problem; null where none is known.'),
  command: z.string().nullable().describe('The command to run now; null without one.'),
  certainty: z.string().nullable().describe('How sure the result is, or how far the work is.'),
  summary: z.array(z.string()),
  cause: z.string().nullable(),
  nextStep: z.string().nullable(),
  facts: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  evidence: z.array(link),
  link: z.url().nullable().describe('The page of the session; null without PUBLIC_URL.'),
});

/** A type of event: its last words, and the events of a session that it reports. */
interface EventType {
  name: string;
  description: string;
  hasSession: boolean;
}

const OPENED = { name: 'session.opened.v1', description: 'A session was opened.', hasSession: true };
const WAITING = {
  name: 'session.waiting.v1',
  description: 'A tool call waits for approval.',
  hasSession: true,
};
const DECIDED = {
  name: 'session.decided.v1',
  description: 'The approval of a tool call was decided, expired or ended.',
  hasSession: true,
};
const ASKED = {
  name: 'session.asked.v1',
  description: 'An agent asks people a question, and goes on.',
  hasSession: true,
};
const PROGRESSED = { name: 'session.progressed.v1', description: 'A session runs.', hasSession: true };
const ENDED = {
  name: 'session.ended.v1',
  description: 'A session completed, failed, timed out or was cancelled: see session.status.',
  hasSession: true,
};
const ANSWERED = {
  name: 'session.answered.v1',
  description: 'A question about a session was answered.',
  hasSession: true,
};
const DETAILED = {
  name: 'session.detailed.v1',
  description: 'The parts of a result that do not fit its first message.',
  hasSession: true,
};
const OUTCOME = {
  name: 'session.outcome.v1',
  description: 'Whether the problem of a session ended, by calls that were repeated after it.',
  hasSession: true,
};
const RESOLVED = {
  name: 'session.resolved.v1',
  description: 'The source of the alert reports that its problem is over.',
  hasSession: true,
};
const DEFERRED = {
  name: 'session.deferred.v1',
  description: 'An alert was stored and is not investigated yet.',
  hasSession: true,
};
const REJECTED = { name: 'alert.rejected.v1', description: 'An alert could not be read.', hasSession: false };
const NOTICE = {
  name: 'notice.v1',
  description: 'A message about no session: a count of a storm, a digest, a broken destination, a test.',
  hasSession: false,
};

const TYPES: Record<DeliveryEvent, EventType> = {
  opened: OPENED,
  approval: WAITING,
  decided: DECIDED,
  asked: ASKED,
  progress: PROGRESSED,
  ended: ENDED,
  failed: ENDED,
  deferred: DEFERRED,
  rejected: REJECTED,
  details: DETAILED,
  outcome: OUTCOME,
  resolved: RESOLVED,
  answer: ANSWERED,
  notice: NOTICE,
};

/** `com.inquest.session.ended.v1`. */
export function toCloudEventType(event: DeliveryEvent): string {
  return `${NAMESPACE}.${TYPES[event].name}`;
}

/** The schema of the data of an event. */
export function eventDataSchema(event: DeliveryEvent) {
  const { description, hasSession } = TYPES[event];
  return z
    .strictObject({
      session: hasSession ? sessionData : sessionData.nullable(),
      message: messageData,
      isRepeated: z.boolean().describe('Whether an earlier message about the same can have arrived.'),
    })
    .describe(description);
}

/** The JSON Schema of each type by the name of its file in docs/events/. @internal */
export function eventSchemas(): Record<string, object> {
  const events = Object.keys(TYPES) as DeliveryEvent[];
  return Object.fromEntries(
    events.map((event) => {
      const type = toCloudEventType(event);
      const schema = z.toJSONSchema(eventDataSchema(event));
      return [`${type}.json`, { $id: `${type}.json`, title: type, ...schema }];
    }),
  );
}
