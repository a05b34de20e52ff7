// The alert of a session: summary, links, labels, reports, members of its group.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { countText, dayText, durationText } from '../../model/format.ts';
import { ExternalLink } from '../../parts/ExternalLink.tsx';
import { ProblemBadge } from '../../parts/ProblemBadge.tsx';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from '../../session/side/side.module.css';
import { OriginalAlert } from './OriginalAlert.tsx';

/** The panel; nothing for sessions without an alert. */
export function AlertPanel({ view }: { view: SessionView }) {
  const { alert, reports, alsoFiring } = view;
  if (alert === null) return null;
  const links = [
    ...(alert.url === null ? [] : [{ title: 'Source', url: alert.url }]),
    ...(alert.runbookUrl === null ? [] : [{ title: 'Runbook', url: alert.runbookUrl }]),
    ...alert.links,
  ];
  return (
    <section class={parts.panel} aria-labelledby="alert-title">
      <div class={parts.panelHead}>
        <h2 id="alert-title">Alert</h2>
        <ProblemBadge problem={view.problem} />
      </div>
      <div class={s.alert}>
        {alert.summary !== null && (
          <p>
            <Untrusted text={alert.summary} />
          </p>
        )}
        <p>
          <a href={`/alerts?session=${view.sessionId}`}>Alerts of this session</a>
        </p>
        {links.map(({ title, url }) => (
          <p key={url}>
            <ExternalLink url={url} opensAtOnce>
              {title}
            </ExternalLink>
          </p>
        ))}
        <ul class={s.labels}>
          {Object.entries(alert.labels).map(([name, value]) => (
            <li key={name}>
              <bdi>
                {name}=
                <b>
                  <Untrusted text={value} />
                </b>
              </bdi>
            </li>
          ))}
        </ul>
        {alert.startedAt !== null && (
          <p class={parts.meta}>
            Since <Time iso={alert.startedAt} text={dayText(alert.startedAt)} />
            {beforeText(alert.startedAt, view.createdAt)}
            {reports !== null && ` · reported ${countText(reports.firing, 'time')}`}
            {alert.masked > 0 && ` · ${countText(alert.masked, 'value')} masked`}
          </p>
        )}
        {alert.members.length > 0 && (
          <details>
            <summary>{countText(alert.members.length, 'alert')} in this group, as first reported</summary>
            <ul>
              {alert.members.map((member, index) => (
                <li key={index}>
                  <Untrusted text={member.title} /> <span class={parts.meta}>{member.status}</span>
                </li>
              ))}
            </ul>
          </details>
        )}
        {alsoFiring.length > 0 && (
          <details>
            <summary>{countText(alsoFiring.length, 'alert')} also firing</summary>
            <ul>
              {alsoFiring.map((other, index) => (
                <li key={index}>
                  <Untrusted text={other.title} />
                </li>
              ))}
            </ul>
          </details>
        )}
        <OriginalAlert />
      </div>
    </section>
  );
}

/** How long an alert fired before its session was opened; nothing below a minute. */
function beforeText(startedAt: string, openedAt: string): string {
  const ms = Date.parse(openedAt) - Date.parse(startedAt);
  return ms < 60_000 ? '' : `, ${durationText(ms)} before this session`;
}
