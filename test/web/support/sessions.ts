// Sessions of these tests, by what they show.

import { readFileSync } from 'node:fs';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { readableOutput } from '../../../shared/text/structuredAnswer.ts';
import { openedToday, type SessionFixture, shifted } from '../../../web/dev/fixtures.ts';
import { newestOf, waitingSession } from '../../../web/dev/loadFixtures.ts';
import { cancelledSession } from '../../../web/fixtures/cancelled.ts';
import { checkedSession } from '../../../web/fixtures/checked.ts';
import { everySession } from '../../../web/fixtures/every.ts';
import { failedSession } from '../../../web/fixtures/failed.ts';
import { hostileSession } from '../../../web/fixtures/hostile.ts';
import { limitedSession } from '../../../web/fixtures/limited.ts';
import { longSession } from '../../../web/fixtures/long.ts';
import { manySession } from '../../../web/fixtures/many.ts';
import { runningSession } from '../../../web/fixtures/running.ts';

/** The demo, which has ended. */
export const ended = () => newestOf('crashloop');
/** Two agents and a synthesis, ended; and while one of them still runs. */
export const parallel = () => newestOf('synthesis');
/** The same while one of the agents still runs. */
export const running = () => runningSession(newestOf('synthesis'));
/** An agent that asked two others. */
export const team = () => newestOf('team');
/** Its answer is structured. */
export function structured(): SessionFixture {
  const { session, events, ...rest } = newestOf('crashloop');
  const output = {
    answer: 'The cache does not fit the memory limit.',
    evidence: [{ tool: 'get_logs', fact: 'the cache grew' }],
    rollback: 'kubectl -n shop rollout undo deployment/checkout',
  };
  const finalAnalysis = readableOutput(output);
  return {
    ...rest,
    session: { ...session, finalAnalysis },
    events: events.map((event) =>
      event.eventType === 'final_analysis'
        ? {
            ...event,
            content: finalAnalysis,
            metadata: { ...event.metadata, citations: [], output: JSON.stringify(output) },
          }
        : event,
    ),
  };
}
/**
 * With results of the pack's server on a real Prometheus: memory over an hour, then at one time, then of two
 * hundred pods, cut. The expression of the alert is about the first. @param place Where the alert has it.
 */
export function sampled(place: 'address' | 'body'): SessionFixture {
  const session = newestOf('crashloop');
  const read = readFileSync(new URL('../../worlds/prometheus/recorded.json', import.meta.url), 'utf8');
  const all: { tool: string; arguments: { query: string }; text: string }[] = JSON.parse(read);
  const memory = all.filter((one) => one.arguments.query.includes('container="checkout"'));
  const [vector, matrix] = memory;
  if (vector === undefined || matrix === undefined) throw new Error('the memory was not recorded');
  const { result } = JSON.parse(matrix.text) as { result: { metric: object; values: unknown[] }[] };
  const pods = Array.from({ length: 200 }, (_, at) => ({ ...result[0], metric: { pod: `web-${at}` } }));
  const many = JSON.stringify({ resultType: 'matrix', result: pods });
  const cut = {
    ...matrix,
    text: `${many.slice(0, -60)}\n[... 30 of ${many.length + 30} bytes left out ...]\n`,
  };
  const answers = [matrix, vector, cut];
  const expression = `${matrix.arguments.query} > 2e8`;
  const alert = readSessionAlert(session.session);
  const address = `https://prometheus.example/graph?g0.expr=${encodeURIComponent(expression)}`;
  if (alert !== null) alert.url = place === 'address' ? address : null;
  const body = session.others.find(({ path }) => path.includes('/alertBody/'));
  if (body !== undefined) body.data.text = JSON.stringify({ rule: { expr: expression } });
  for (const type of ['llm_tool_call', 'tool_result'] as const)
    for (const [index, answer] of answers.entries()) {
      const event = session.events.filter(({ eventType }) => eventType === type)[index];
      if (event?.eventType === 'llm_tool_call')
        event.metadata = {
          ...event.metadata,
          toolName: answer.tool,
          arguments: JSON.stringify(answer.arguments),
        };
      if (event?.eventType === 'tool_result') {
        event.metadata = { ...event.metadata, toolName: answer.tool };
        event.content = answer.text;
      }
    }
  return session;
}
/** With sources and citations. */
export const research = () => newestOf('research');
/** A call waits for a person, for another quarter of an hour. */
export const waiting = () => waitingSession();
/** Every type of event in every status. */
export const every = () => everySession(newestOf('crashloop'));
/** Completed, with an agent that failed and one that was cut by its budget. */
export const limited = () => limitedSession(newestOf('synthesis'));
/** Forty agents. */
export const many = () => manySession(newestOf('synthesis'));
/** Cancelled, with guidance and notices between its iterations. */
export const cancelled = () => cancelledSession(newestOf('crashloop'));
/** A check of the schedule `nightly` that found something. */
export const checked = () => checkedSession(newestOf('crashloop'));
/** It failed. */
export const failed = () => failedSession(newestOf('crashloop'));
/** Hostile texts everywhere. @param rows Of its table: a second for each 700. */
export const hostile = (rows = 100) => hostileSession(newestOf('crashloop'), rows);
/** Two thousand events. */
export const long = () => longSession(newestOf('crashloop'), 2_000);

/** The session as if created a minute ago: recordings have their own date. */
export const moveToNow = (session: SessionFixture) =>
  openedToday(shifted(session, Date.now() - 60_000 - session.session.createdAt.getTime()));

/** The same session as if its model had no price. */
export function unpriced(session: SessionFixture): SessionFixture {
  const cost = { usd: 0, unpricedCalls: 2 };
  return {
    ...session,
    session: { ...session.session, cost },
    executions: session.executions.map((one) => ({ ...one, cost })),
    interactions: session.interactions.map((one) => ({ ...one, costUsd: null })),
  };
}

/** The address of a session. */
export const addressOf = ({ session }: SessionFixture, rest = '') => `/s/${session.sessionId}${rest}`;
