// Work for the reader: approvals, agents' questions, sessions to claim or claimed.

import type { ComponentChildren } from 'preact';
import type { SessionRow, SessionWork, SystemActivity } from '../../../shared/lists/apiTypes.ts';
import { api } from '../api/client.ts';
import { serverNow } from '../api/clock.ts';
import { readApprovals } from '../api/readApprovals.ts';
import { type Resource, useResource } from '../api/useResource.ts';
import { canAct, me } from '../frame/currentUser.ts';
import { shortId } from '../model/address.ts';
import { beganText, countText, firstLines, momentText } from '../model/format.ts';
import { ProblemBadge } from '../parts/ProblemBadge.tsx';
import parts from '../parts/parts.module.css';
import { Reading } from '../parts/Reading.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import { Section } from './Section.tsx';
import s from './system.module.css';
import { waitingSessions } from './waitingSessions.ts';

/** The newest sessions that are looked through. */
const NEWEST = 100;
/** Sessions that are named; the list has the others. */
const NAMED = 10;
const QUESTION = 200;

/** The section. */
export function WaitingWork({ activity }: { activity: Resource<SystemActivity> }) {
  const approvals = useResource(readApprovals);
  const sessions = useResource((left) => api.get('/v1/sessions', { limit: NEWEST }, left));
  const people = useResource((left) => api.get('/v1/reviews', { days: 30 }, left));
  const rows = sessions.value.value?.sessions ?? [];
  const titleOf = (id: string) => rows.find(({ sessionId }) => sessionId === id)?.title ?? shortId(id);
  return (
    <Section
      id="waiting"
      note={
        canAct.value
          ? `among the newest ${NEWEST} sessions`
          : 'You are a viewer: responders decide and answer.'
      }
    >
      <Reading resource={approvals} needs="viewer">
        {({ approvals: open, next }) => (
          <Group name="Approvals" count={open.length} none="No call waits for approval.">
            {open.map(({ approvalId, sessionId, toolName, agentName, until }) => (
              <li key={approvalId}>
                <a href={`/s/${sessionId}`}>
                  <code>
                    <Untrusted text={toolName} />
                  </code>
                </a>{' '}
                <span class={parts.meta}>
                  of <bdi>{agentName}</bdi> in <Untrusted text={titleOf(sessionId)} />, until{' '}
                  <Time iso={until} text={momentText(until, serverNow())} />
                </span>
              </li>
            ))}
            {next !== null && <li class={parts.meta}>There are more: inquest approvals lists them.</li>}
          </Group>
        )}
      </Reading>
      <Reading resource={activity} needs="viewer">
        {({ questions }) => (
          <Group name="Questions of agents" count={questions.length} none="No agent that runs asks a person.">
            {questions.map(({ eventId, sessionId, question, at }) => (
              <li key={eventId}>
                <a href={`/s/${sessionId}`}>
                  <Untrusted text={firstLines(question, QUESTION)} />
                </a>{' '}
                <span class={parts.meta}>
                  in <Untrusted text={titleOf(sessionId)} />,{' '}
                  <Time iso={at} text={beganText(at, serverNow())} />
                </span>
              </li>
            ))}
          </Group>
        )}
      </Reading>
      <Reading resource={sessions} needs="viewer">
        {({ sessions: read }) => (
          <Reading resource={people} needs="viewer">
            {({ work }) => <Sessions rows={read} work={work} />}
          </Reading>
        )}
      </Reading>
    </Section>
  );
}

function Sessions({ rows, work }: { rows: readonly SessionRow[]; work: readonly SessionWork[] }) {
  const { mine, free } = waitingSessions(rows, work, me.value?.name);
  return (
    <>
      <Group name="Claimed by you" count={mine.length} none="You have claimed no session.">
        {mine.map((row) => (
          <Session key={row.sessionId} row={row} />
        ))}
      </Group>
      <Group
        name="Claimed by no one"
        count={free.length}
        none="No session that runs or whose problem fires is without an owner."
      >
        {free.slice(0, NAMED).map((row) => (
          <Session key={row.sessionId} row={row} />
        ))}
        {free.length > NAMED && (
          <li>
            <a href="/">{countText(free.length - NAMED, 'other')}: all sessions</a>
          </li>
        )}
      </Group>
    </>
  );
}

function Session({ row: { sessionId, title, problem, status, createdAt } }: { row: SessionRow }) {
  return (
    <li>
      <ProblemBadge problem={problem} isShort /> <Status status={status} plain />{' '}
      <a href={`/s/${sessionId}`}>
        <Untrusted text={title ?? sessionId} />
      </a>{' '}
      {createdAt && (
        <span class={parts.meta}>
          <Time iso={createdAt} text={beganText(createdAt, serverNow())} />
        </span>
      )}
    </li>
  );
}

function Group({
  name,
  count,
  none,
  children,
}: {
  name: string;
  count: number;
  none: string;
  children: ComponentChildren;
}) {
  return (
    <div class={s.group}>
      <h3>
        {name} {count > 0 && <span class={parts.number}>({count})</span>}
      </h3>
      {count === 0 ? <p class={parts.meta}>{none}</p> : <ul class={s.waits}>{children}</ul>}
    </div>
  );
}
