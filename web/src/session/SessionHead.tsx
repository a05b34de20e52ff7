// The head of a session: problem, status, title, facts and actions.

import { locateAlertPlace } from '../../../shared/alerts/alertLocation.ts';
import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { useHeadingFocus } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { compareAddress, shortId } from '../model/address.ts';
import { dayText } from '../model/format.ts';
import { shownStatus } from '../model/shownStatus.ts';
import { ExternalLink } from '../parts/ExternalLink.tsx';
import { Icon } from '../parts/Icon.tsx';
import { ProblemBadge } from '../parts/ProblemBadge.tsx';
import { Severity } from '../parts/Severity.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import { Word } from '../words/Word.tsx';
import { Actions } from './Actions.tsx';
import s from './session.module.css';
import { Slot } from './state/slots.tsx';

/** The title of a session. */
export function chooseSessionTitle({ title, alert, sessionId }: SessionView): string {
  return title ?? alert?.title ?? sessionId;
}

/** The head. */
export function SessionHead({ view }: { view: SessionView }) {
  const { sessionId, alert, createdAt, chain, rerunOf, fork, reinvestigates } = view;
  const heading = useHeadingFocus();
  return (
    <div class={frame.head}>
      <div class={`${frame.inner} ${s.head}`}>
        <nav class={s.crumbs} aria-label="Where this is">
          <a href="/">Sessions</a>
          <Icon name="right" />
          <span title={sessionId}>{shortId(sessionId)}</span>
        </nav>
        <div class={s.title}>
          <ProblemBadge problem={view.problem} />
          <Status status={shownStatus(view)} />
          {alert?.severity && <Severity severity={alert.severity} />}
          <h1 ref={heading} tabIndex={-1}>
            <Untrusted text={chooseSessionTitle(view)} />
          </h1>
        </div>
        <p class={s.about}>
          {alert && <Where alert={alert} />}
          {alert?.runbookUrl && (
            <ExternalLink url={alert.runbookUrl} opensAtOnce isShort>
              Runbook
            </ExternalLink>
          )}
          <span>
            {alert === null ? 'chat' : <Untrusted text={alert.source} />},{' '}
            <Time iso={createdAt} text={dayText(createdAt)} />
          </span>
          <span class={s.minor}>
            <Word name="chain" />{' '}
            <b>
              <Untrusted text={chain} />
            </b>
          </span>
          <Slot place="facts" view={view} />
          {reinvestigates !== null && (
            <span>
              after <Earlier sessionId={reinvestigates.sessionId} own={sessionId} />
            </span>
          )}
          {rerunOf !== null && (
            <span>
              rerun of <Earlier sessionId={rerunOf} own={sessionId} />
            </span>
          )}
          {fork !== null && (
            <span>
              fork of <Earlier sessionId={fork.of} own={sessionId} />
            </span>
          )}
        </p>
        <div class={s.acts} data-acts>
          <div class={s.owner}>
            <Slot place="owner" view={view} />
          </div>
          <Actions view={view} />
        </div>
      </div>
    </div>
  );
}

/** A link to an earlier session of the same alert, and to its comparison with this one. */
function Earlier({ sessionId, own }: { sessionId: string; own: string }) {
  return (
    <>
      <a href={`/s/${sessionId}`}>{shortId(sessionId)}</a> (
      <a href={compareAddress(own, sessionId)}>compare</a>)
    </>
  );
}

/** The place of the problem; nothing where the labels do not name one. */
function Where({ alert }: { alert: NonNullable<SessionView['alert']> }) {
  const { workload, namespace, cluster, project } = locateAlertPlace(alert);
  const object = [namespace, workload].filter((part) => part !== null).join('/');
  const around = [cluster, project].filter((part) => part !== null);
  if (object === '' && around.length === 0) return null;
  return (
    <span class={s.place} data-place>
      <Icon name="place" label="Place" />
      <b>
        <Untrusted text={object} />
      </b>
      {around.map((part) => (
        <Untrusted key={part} text={part} />
      ))}
    </span>
  );
}
