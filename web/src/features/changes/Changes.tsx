// Changes before the alert, with states before and after, on the axis of `Waterfall.tsx`.

import { useEffect } from 'preact/hooks';
import type { SessionChanges, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/useResource.ts';
import { countText, dayText } from '../../model/format.ts';
import { ExternalLink } from '../../parts/ExternalLink.tsx';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from '../../session/side/side.module.css';
import { useSession } from '../../session/state/sessionState.ts';
import c from './changes.module.css';
import { foundChanges } from './foundChanges.ts';

type Change = SessionChanges['changes'][number];

const STATES: Record<string, string> = { running: 'is running', attempted: 'failed' };

/** The panel; absent without connected sources at the opening. A late change reads it again. */
export function Changes({ view }: { view: SessionView }) {
  const { timeline } = useSession();
  const size = timeline.size.value;
  const notices = timeline
    .all()
    .filter(
      (event) =>
        event.eventType === 'notice' &&
        (event.metadata.code === 'what_changed' || event.metadata.code === 'late_change'),
    ).length;
  return size === 0 || notices === 0 ? null : <Panel view={view} notices={notices} />;
}

function Panel({ view, notices }: { view: SessionView; notices: number }) {
  const session = useSession();
  const { sessionId } = session;
  const { value, error, reload } = useResource(
    (left) => api.get('/v1/sessions/{sessionId}/changes', { sessionId }, left),
    [sessionId],
  );
  useEffect(reload, [notices, view.status]);
  const found = value.value;
  useEffect(() => {
    foundChanges(session).value = found;
  }, [found]);
  return (
    <section class={parts.panel} aria-labelledby="changes-title">
      <div class={parts.panelHead}>
        <h2 id="changes-title">What changed</h2>
        <span class={parts.meta}>{found && countText(found.changes.length + found.others, 'change')}</span>
      </div>
      {error.value && <Problem error={error.value} onRetry={reload} />}
      {found && (
        <>
          <ol class={s.list}>
            {found.changes.map((change) => (
              <Entry key={change.id} change={change} />
            ))}
          </ol>
          <p class={`${parts.meta} ${c.note}`}>
            {found.changes.length === 0 && 'None in 24 hours. '}
            {found.others > 0 && `${countText(found.others, 'other change')} not shown. `}
            {found.resource !== null && found.service === null && 'The resource is not mapped to a service. '}
            Sources: <Untrusted text={found.sources.map(({ source }) => source).join(', ') || 'none'} />. A
            change near in time is no evidence of a cause.
          </p>
        </>
      )}
    </section>
  );
}

function Entry({ change }: { change: Change }) {
  const { title, kind, status, resource, actor, before, after, url, at, when, relation, rate, late, count } =
    change;
  return (
    <li>
      <b>
        <Untrusted text={title} />
      </b>{' '}
      <span class={parts.meta}>
        <Time iso={at} text={dayText(at)} /> · {when} the alert
      </span>
      <p class={s.entryText}>
        <Untrusted text={`${kind} of ${resource}`} />
        {actor !== null && (
          <>
            {' '}
            by <Untrusted text={actor} />
          </>
        )}{' '}
        ({relation}){STATES[status] && `, ${STATES[status]}`}
      </p>
      <p class={parts.meta}>
        {rate}
        {count > 1 && ` · the last of ${count} more of this hour`}
        {late && ' · became known later'}
      </p>
      {(before !== null || after !== null) && (
        <dl class={c.states}>
          {before !== null && <State name="Before" text={before} />}
          {after !== null && <State name="After" text={after} />}
        </dl>
      )}
      {url !== null && (
        <ExternalLink url={url} opensAtOnce>
          Change
        </ExternalLink>
      )}
    </li>
  );
}

function State({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>
          <Untrusted text={text} />
        </code>
      </dd>
    </div>
  );
}
