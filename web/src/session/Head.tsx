// The head of a session: status, title, facts and actions.

import type { SessionView } from '../../../shared/api/types.ts';
import { useHeadingFocus } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { shortId } from '../model/address.ts';
import { dayText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import { Actions } from './Actions.tsx';
import s from './session.module.css';

/** The title of a session. */
export function titleOf({ title, alert, sessionId }: SessionView): string {
  return title ?? alert?.title ?? sessionId;
}

/** Labels that identify the subject of an alert, the most specific first. */
const TELLING = ['pod', 'service', 'deployment', 'container', 'host', 'instance', 'namespace', 'cluster'];

/** The head. */
export function Head({ view }: { view: SessionView }) {
  const { sessionId, alert, approvals, status, createdAt, chain, rerunOf, reinvestigates } = view;
  const heading = useHeadingFocus();
  const isPending = approvals.some((approval) => approval.status === 'pending');
  const labels = TELLING.flatMap((name) =>
    alert?.labels[name] ? [[name, alert.labels[name]] as const] : [],
  ).slice(0, 3);
  return (
    <div class={frame.head}>
      <div class={`${frame.inner} ${s.head}`}>
        <nav class={s.crumbs} aria-label="Where this is">
          <a href="/">Sessions</a>
          <Icon name="right" />
          <span title={sessionId}>{shortId(sessionId)}</span>
        </nav>
        <div class={s.title}>
          <Status
            status={
              isPending
                ? 'waits'
                : view.steering.paused !== null && status === 'in_progress'
                  ? 'paused'
                  : status
            }
          />
          <h1 ref={heading} tabIndex={-1}>
            <Untrusted text={titleOf(view)} />
          </h1>
        </div>
        <p class={s.about}>
          {labels.map(([name, value]) => (
            <span key={name}>
              {name}{' '}
              <b>
                <Untrusted text={value} />
              </b>
            </span>
          ))}
          {alert?.severity && (
            <span>
              severity{' '}
              <b>
                <Untrusted text={alert.severity} />
              </b>
            </span>
          )}
          <span>
            {alert === null ? 'chat' : <Untrusted text={alert.source} />},{' '}
            <Time iso={createdAt} text={dayText(createdAt)} />
          </span>
          <span>
            chain{' '}
            <b>
              <Untrusted text={chain} />
            </b>
          </span>
          {reinvestigates !== null && (
            <span>
              after <a href={`/s/${reinvestigates.sessionId}`}>{shortId(reinvestigates.sessionId)}</a>
            </span>
          )}
          {rerunOf !== null && (
            <span>
              rerun of <a href={`/s/${rerunOf}`}>{shortId(rerunOf)}</a>
            </span>
          )}
        </p>
        <Actions view={view} />
      </div>
    </div>
  );
}
