// The alert of a session: summary, links, labels, reports, members of its group.

import { useSignal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import { useRef } from 'preact/hooks';
import type { AlertOriginal, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { countText, dayText, durationText } from '../../model/format.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { ExternalLink } from '../../parts/ExternalLink.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { ProblemBadge } from '../../parts/ProblemBadge.tsx';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Marked, Untrusted } from '../../parts/Untrusted.tsx';
import s from '../../session/side/side.module.css';
import { useSession } from '../../session/state/sessionState.ts';

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

/** JSON on several lines; any other text as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Two parts that unfold. */
function OriginalAlert() {
  const { sessionId } = useSession();
  const read = useSignal<AlertOriginal | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const isReading = useRef(false);
  const readPart = async (part: number): Promise<void> => {
    if (isReading.current) return;
    isReading.current = true;
    try {
      const next = await api.get('/v1/sessions/{sessionId}/alert', { sessionId, part });
      read.value = { ...next, body: (read.value?.body ?? '') + next.body };
      error.value = undefined;
    } catch (cause) {
      error.value = asError(cause);
    } finally {
      isReading.current = false;
    }
  };
  const onToggle = (event: TargetedEvent<HTMLDetailsElement>) => {
    if (event.currentTarget.open && read.value === undefined) void readPart(1);
  };
  const shown = read.value;
  const isMore = shown !== undefined && shown.part < shown.parts;
  return (
    <>
      <details onToggle={onToggle}>
        <summary>Original</summary>
        {error.value && <Problem error={error.value} onRetry={() => void readPart((shown?.part ?? 0) + 1)} />}
        {shown && (
          <Text
            text={isMore ? shown.body : pretty(shown.body)}
            name="The original alert, with secrets masked"
          />
        )}
        {isMore && (
          <button type="button" class={parts.quiet} onClick={() => void readPart(shown.part + 1)}>
            Show part {shown.part + 1} of {shown.parts}
          </button>
        )}
      </details>
      <details onToggle={onToggle}>
        <summary>As sent to agents</summary>
        {shown && <Text text={shown.promptText} name="The alert as sent to agents" />}
      </details>
    </>
  );
}

function Text({ text, name }: { text: string; name: string }) {
  return (
    <>
      <CopyButton text={text} what={name} />
      <pre class={s.original} tabIndex={0} role="region" aria-label={name}>
        <Marked text={text} />
      </pre>
    </>
  );
}
