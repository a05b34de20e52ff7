// Each tool server with its state, its last answer, its tools and its limits.

import type { Configuration, SystemActivity } from '../../../shared/lists/apiTypes.ts';
import type { Resource } from '../api/useResource.ts';
import { systemHealth } from '../frame/systemState.ts';
import { countText, dayText, durationText } from '../model/format.ts';
import { Note } from '../parts/Problem.tsx';
import parts from '../parts/parts.module.css';
import { Reading } from '../parts/Reading.tsx';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import { ItemHead } from './ItemHead.tsx';
import { Section } from './Section.tsx';
import { limitTexts, rightsText, type ServerRow, serverRows } from './serverRows.ts';
import s from './system.module.css';

type Activity = Pick<SystemActivity, 'sessions' | 'since'>;

/** The section. @param configured empty for people who are not operators. */
export function Servers({
  activity,
  configured,
}: {
  activity: Resource<SystemActivity>;
  configured: Configuration['servers'];
}) {
  const sessions = activity.value.value?.sessions;
  return (
    <Section
      id="servers"
      note={sessions !== undefined && `last answers of ${countText(sessions, 'recent session')}`}
    >
      <Reading resource={activity} needs="viewer" missing="This server does not list its tool servers.">
        {(read) => {
          const rows = serverRows(read, systemHealth.value, configured);
          return rows.length === 0 ? (
            <Note>
              No agent can use a tool server. <code>servers.yaml</code> of the configuration defines them.
            </Note>
          ) : (
            <ul class={s.list}>
              {rows.map((row) => (
                <Server key={row.name} row={row} read={read} />
              ))}
            </ul>
          );
        }}
      </Reading>
    </Section>
  );
}

function Server({ row, read }: { row: ServerRow; read: Activity }) {
  const { name, state, agents, configured } = row;
  const rights = rightsText(row);
  const limits = configured === undefined ? [] : limitTexts(configured);
  return (
    <li>
      <ItemHead name={name} state={state} />
      <dl class={s.facts}>
        <dt>Last answer</dt>
        <dd>
          <LastAnswer row={row} read={read} />
        </dd>
        <dt>Tools</dt>
        <dd>
          <Tools row={row} />
          {rights !== '' && (
            <p class={parts.meta}>
              <Untrusted text={rights} />
            </p>
          )}
        </dd>
        {agents.length > 0 && (
          <>
            <dt>Agents</dt>
            <dd class={s.words}>
              {agents.map((agent) => (
                <a key={agent} href={`/agents/${encodeURIComponent(agent)}`}>
                  {agent}
                </a>
              ))}
            </dd>
          </>
        )}
        {limits.length > 0 && (
          <>
            <dt>Limits</dt>
            <dd>{limits.join(' · ')}</dd>
          </>
        )}
        {configured !== undefined && (
          <>
            <dt>Connection</dt>
            <dd>
              {CONNECTIONS[configured.transport ?? 'unknown']}
              {configured.instances.length > 0 && (
                <>
                  : <Untrusted text={configured.instances.join(', ')} />
                </>
              )}
            </dd>
          </>
        )}
      </dl>
    </li>
  );
}

const CONNECTIONS = {
  stdio: 'a process of its own',
  http: 'over HTTP',
  recorded: 'recorded answers',
  unknown: 'not known to this process',
};

function LastAnswer({
  row: { lastAnswer, agents },
  read: { sessions, since },
}: {
  row: ServerRow;
  read: Activity;
}) {
  if (lastAnswer === null) {
    if (agents.length === 0) return <>none: no agent lists it</>;
    return since === null ? (
      <>none: there is no session yet</>
    ) : (
      <>
        none in {countText(sessions, 'recent session')}, since <Time iso={since} text={dayText(since)} />
      </>
    );
  }
  const { at, tool, durationMs, sessionId, eventId } = lastAnswer;
  return (
    <>
      {tool === null && 'none: connecting to it failed on '}
      <Time iso={at} text={dayText(at)} />
      {tool !== null && (
        <>
          {' '}
          to{' '}
          <code>
            <Untrusted text={tool} />
          </code>
        </>
      )}
      {durationMs !== null && ` after ${durationText(durationMs)}`}{' '}
      <a href={`/s/${sessionId}${eventId === null ? '' : `#e-${eventId}`}`}>
        {eventId === null ? 'Session' : 'Result'}
      </a>
    </>
  );
}

function Tools({ row: { tools, listedAt } }: { row: ServerRow }) {
  if (tools.length === 0 || listedAt === null) return <>not known: no recent session connected to it</>;
  return (
    <details>
      <summary>{countText(tools.length, 'tool')}</summary>
      <p class={parts.meta}>
        As it listed them on <Time iso={listedAt} text={dayText(listedAt)} />.
      </p>
      <p class={s.words}>
        {tools.map((tool) => (
          <code key={tool}>
            <Untrusted text={tool} />
          </code>
        ))}
      </p>
    </details>
  );
}
