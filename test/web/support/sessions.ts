// Sessions of these tests, by what they show.

import { readFileSync } from 'node:fs';
import { readableOutput } from '../../../shared/text/structuredAnswer.ts';
import { type SessionFixture, shifted } from '../../../web/dev/fixtures.ts';
import { newestOf } from '../../../web/dev/loadFixtures.ts';
import { cancelledSession } from '../../../web/fixtures/cancelled.ts';
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
  const { view, events, ...rest } = newestOf('crashloop');
  const output = {
    answer: 'The cache does not fit the memory limit.',
    evidence: [{ tool: 'get_logs', fact: 'the cache grew' }],
    rollback: 'kubectl -n shop rollout undo deployment/checkout',
  };
  const finalAnalysis = readableOutput(output);
  return {
    ...rest,
    view: { ...view, finalAnalysis },
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
 * With results of the pack's server on a real Prometheus: memory over an hour, then at one time, then of two hundred pods, cut.
 * The expression of the alert is about the first. @param place Where the alert has it.
 */
export function sampled(place: 'address' | 'body'): SessionFixture {
  const session = newestOf('crashloop');
  const read = readFileSync(new URL('../../prometheus/recorded.json', import.meta.url), 'utf8');
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
  const { alert } = session.view;
  const address = `https://prometheus.example/graph?g0.expr=${encodeURIComponent(expression)}`;
  if (alert !== null) alert.url = place === 'address' ? address : null;
  if (session.original !== undefined) session.original.body = JSON.stringify({ rule: { expr: expression } });
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
        Object.assign(event, { content: answer.text, bytes: answer.text.length, lines: 1, cut: false });
      }
    }
  return session;
}
/** With sources and citations. */
export const research = () => newestOf('research');
/** A call waits for a person, for another quarter of an hour. */
export function waiting(): SessionFixture {
  const session = newestOf('approval-waits');
  const until = new Date(Date.now() + 15 * 60_000).toISOString();
  const approvals = session.view.approvals.map((approval) => ({ ...approval, until }));
  return { ...session, view: { ...session.view, approvals } };
}
/** Every type of event in every status. */
export const every = () => everySession(newestOf('crashloop'));
/** Completed, with an agent that failed and one that was cut by its budget. */
export const limited = () => limitedSession(newestOf('synthesis'));
/** Forty agents. */
export const many = () => manySession(newestOf('synthesis'));
/** Cancelled, with guidance and notices between its iterations. */
export const cancelled = () => cancelledSession(newestOf('crashloop'));
/** It failed. */
export const failed = () => failedSession(newestOf('crashloop'));
/** Every text tries something. @param rows Of the table in its analysis: a page needs a second for each 700. */
export const hostile = (rows = 100) => hostileSession(newestOf('crashloop'), rows);
/** Two thousand events. */
export const long = () => longSession(newestOf('crashloop'), 2_000);

/** The same session as if it had been created a minute ago: recordings have the date on which they were made. */
export const madeNow = (session: SessionFixture) =>
  shifted(session, Date.now() - 60_000 - Date.parse(session.view.createdAt));

/** The same session as if its model had no price. */
export function unpriced(session: SessionFixture): SessionFixture {
  const made: SessionFixture = JSON.parse(JSON.stringify(session), (name, value: unknown) =>
    name === 'cost' ? { usd: 0, unpricedCalls: 2 } : name === 'usd' ? null : value,
  );
  return made;
}

/** The address of a session. */
export const addressOf = ({ row }: SessionFixture, rest = '') => `/s/${row.sessionId}${rest}`;
