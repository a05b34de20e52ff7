// The session's side below the verdict: changes, people, alert, messages, time, cost, gaps.

import type { SessionView } from '../../../../shared/api/types.ts';
import { knownTotal } from '../../../../shared/client/knownTotal.ts';
import { serverNow, tick } from '../../api/clock.ts';
import { compareAddress } from '../../model/address.ts';
import { countText, dayText, durationText, numberText, priceText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { ExternalLink } from '../../parts/ExternalLink.tsx';
import { ProblemBadge } from '../../parts/ProblemBadge.tsx';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { listExecutions } from '../state/sentences.ts';
import { useSession } from '../state/sessionState.ts';
import { listBudgetTexts } from './budgets.ts';
import { Changes } from './Changes.tsx';
import { Deliveries } from './Deliveries.tsx';
import { OriginalAlert } from './OriginalAlert.tsx';
import s from './side.module.css';
import { Waterfall } from './Waterfall.tsx';
import { Work } from './Work.tsx';

/** All panels of the side. They are drawn when what stands above them is read, and does not move them. */
export function SidePanel({ view }: { view: SessionView }) {
  const { work, areClaimsSettled } = useSession();
  const people = work.value;
  const isPeopleSettled = (people?.value.value ?? people?.error.value) !== undefined;
  if (!isPeopleSettled || (view.verdict && !areClaimsSettled.value)) return null;
  return (
    <>
      <Changes view={view} />
      <Work />
      <Alert view={view} />
      <Seen view={view} />
      <Deliveries view={view} />
      <Waterfall view={view} />
      <Cost view={view} />
      <NotLet view={view} />
      <NotReadable view={view} />
    </>
  );
}

function Cost({ view }: { view: SessionView }) {
  const { tokens, models, status, documentUrl, unreadable } = view;
  const known = (total: number) => knownTotal(total, numberText(total), unreadable);
  // As the steps count them: without the call for the summary, and questions.
  const iterations = view.stages
    .filter(({ kind }) => kind === 'investigation' || kind === 'synthesis')
    .flatMap(({ executions }) => executions)
    .reduce((sum, { iteration }) => sum + iteration, 0);
  const rows: (readonly [string, string])[] = [
    ['Input', known(tokens.input)],
    ['Thinking', known(tokens.thinking)],
    ['Output', known(tokens.output)],
    ['Cached', known(tokens.cached)],
    ['Price', knownTotal(view.cost.usd, priceText(view), unreadable)],
    ['Model', models.length === 0 ? 'none yet' : models.join(', ')],
    ['Iterations of all agents', known(iterations)],
    ...(hasEnded(status)
      ? [['Time', durationText(view.durationMs ?? 0)] as const]
      : listBudgetTexts(view, Math.max(tick.value, serverNow()))),
  ];
  return (
    <section class={parts.panel} aria-labelledby="cost-title">
      <div class={parts.panelHead}>
        <h2 id="cost-title">{hasEnded(status) ? 'Cost' : 'Cost so far'}</h2>
        <span class={parts.meta}>
          {knownTotal(tokens.total, countText(tokens.total, 'token'), unreadable)}
        </span>
      </div>
      <dl class={s.pairs}>
        {rows.map(([name, value], index) => (
          <div key={index}>
            <dt>{name}</dt>
            <dd>
              <Untrusted text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {documentUrl && (
        <p class={s.alert}>
          <ExternalLink url={documentUrl} opensAtOnce>
            Firestore document
          </ExternalLink>
        </p>
      )}
    </section>
  );
}

function Alert({ view }: { view: SessionView }) {
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

/** Masked values, refused calls and missing servers. */
function NotLet({ view }: { view: SessionView }) {
  const { masked, refused } = view;
  const missing = [...new Set(listExecutions(view).flatMap(({ missingServers }) => missingServers))];
  const count = masked.alert + masked.timeline;
  if (count + refused.length + missing.length === 0) return null;
  return (
    <section class={parts.panel} aria-labelledby="not-title">
      <div class={parts.panelHead}>
        <h2 id="not-title">Masked, refused, missing</h2>
      </div>
      <ul class={s.list}>
        {count > 0 && <li>{countText(count, 'value')} masked. Equal marks are equal values.</li>}
        {refused.map(({ text }, index) => (
          <li key={index}>
            <Untrusted text={text} />
          </li>
        ))}
        {missing.map((name) => (
          <li key={name}>
            The tool server <Untrusted text={name} /> could not be reached.
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Documents that are left out of the page. */
function NotReadable({ view: { unreadable } }: { view: SessionView }) {
  if (unreadable.length === 0) return null;
  return (
    <section class={parts.panel} aria-labelledby="unreadable-title">
      <div class={parts.panelHead}>
        <h2 id="unreadable-title">Not readable</h2>
      </div>
      <ul class={s.list}>
        {unreadable.map(({ path, code, message }) => (
          <li key={path}>
            <code>{code}</code> <Untrusted text={message} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Seen({ view: { sessionId: own, seenBefore } }: { view: SessionView }) {
  if (seenBefore.length === 0) return null;
  return (
    <section class={parts.panel} aria-labelledby="seen-title">
      <div class={parts.panelHead}>
        <h2 id="seen-title">Seen before</h2>
      </div>
      <ul class={s.list}>
        {seenBefore.map(({ sessionId, title, text, endedAt, isSame }) => (
          <li key={sessionId}>
            <a href={`/s/${sessionId}`}>
              <Untrusted text={title} />
            </a>{' '}
            <span class={parts.meta}>
              {isSame ? 'same alert' : 'similar alert'}, <Time iso={endedAt} text={dayText(endedAt)} />
            </span>{' '}
            <a href={compareAddress(own, sessionId)}>Compare</a>
            <p class={s.seenText}>
              <Untrusted text={text} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
