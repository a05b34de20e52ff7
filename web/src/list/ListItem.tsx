// A session in the list.

import { placeText } from '../../../shared/alerts/alertLocation.ts';
import type { SessionWork } from '../../../shared/lists/apiTypes.ts';
import { verdictWord } from '../../../shared/text/verdictWord.ts';
import { serverNow, tick } from '../api/clock.ts';
import { compareAddress } from '../model/address.ts';
import { caveatWords } from '../model/caveats.ts';
import { beganText, besideLocal, costFact, countText, durationText } from '../model/format.ts';
import { type Ratings, reviewWords, workWords } from '../model/reviews.ts';
import { hasEnded } from '../model/status.ts';
import { Icon } from '../parts/Icon.tsx';
import { ProblemBadge } from '../parts/ProblemBadge.tsx';
import { Severity } from '../parts/Severity.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import s from './list.module.css';
import type { ListRow } from './rows.ts';

/** Statuses that require no action have no tint. */
const PLAIN = new Set<string | null>(['completed', 'cancelled', 'deferred', null]);

interface ItemProps {
  row: ListRow;
  ratings: Ratings | undefined;
  /** Undefined when it is neither claimed nor resolved. */
  work: SessionWork | undefined;
}

/** A row; its title is the link. */
export function ListItem({ row, ratings, work }: ItemProps) {
  const { sessionId, title, finding, shown, createdAt, cost } = row;
  return (
    <li>
      <div class={s.row}>
        <div class={s.states}>
          <ProblemBadge problem={row.problem} isShort />
          <Status status={shown} plain={PLAIN.has(shown)} />
        </div>
        <div class={s.what}>
          <div class={s.first}>
            <a class={s.title} href={`/s/${sessionId}`}>
              <Untrusted text={title ?? sessionId} />
            </a>
            <p class={s.where}>
              {row.severity && <Severity severity={row.severity} />}{' '}
              <Facts row={row} ratings={ratings} work={work} />
            </p>
          </div>
          <div class={s.second}>
            {(finding !== '' || row.limits.length > 0) && (
              <p class={s.finding}>
                {row.limits.length > 0 && (
                  <span class={s.limits}>
                    <Icon name="warning" /> {row.limits.map(caveatWords).join(' · ')}
                  </span>
                )}{' '}
                <Untrusted text={finding} />
              </p>
            )}
            {row.earlier.length > 0 && <Earlier rows={row.earlier} newest={sessionId} />}
          </div>
        </div>
        <span class={s.took}>
          <Took row={row} />
        </span>
        <span class={s.cost}>{hasEnded(row.status) ? costFact(cost) : ''}</span>
        <span class={s.began}>
          {createdAt && <Time iso={createdAt} text={beganText(createdAt, serverNow())} />}
          {createdAt && <span class={s.utc}>{besideLocal(createdAt, serverNow())}</span>}
        </span>
      </div>
    </li>
  );
}

function Facts({ row, ratings, work }: ItemProps) {
  const { place, source, chain, reports, rerunOf, kind, shown, verdict } = row;
  const where = place === null ? '' : placeText(place);
  const facts = [
    work ? workWords(work) : null,
    verdict ? verdictWord(verdict) : null,
    kind === 'investigation' ? null : kind,
    source,
    chain === null ? null : `chain ${chain}`,
    reports !== null && reports.firing > 1 ? `reported ${countText(reports.firing, 'time')}` : null,
    reports !== null && reports.joined > 0 ? `${countText(reports.joined, 'alert')} joined` : null,
    rerunOf === null ? null : 'rerun',
    shown === 'timed_out' ? 'deadline reached' : null,
    ratings === undefined ? null : reviewWords(ratings),
  ].filter((fact) => fact !== null);
  return (
    <>
      {where !== '' && (
        <b>
          <Untrusted text={where} />
        </b>
      )}
      {facts.map((fact, index) => (
        <span key={fact}>
          {(index > 0 || where !== '') && ' · '}
          <bdi>{fact}</bdi>
        </span>
      ))}
    </>
  );
}

function Took({ row: { createdAt, endedAt, durationMs } }: { row: ListRow }) {
  if (createdAt === null) return null;
  if (endedAt !== null) return <>{durationText(Date.parse(endedAt) - Date.parse(createdAt))}</>;
  if (durationMs === null) return null;
  return <>{durationText(Math.max(0, Math.max(tick.value, serverNow()) - Date.parse(createdAt)))}</>;
}

function Earlier({ rows, newest }: { rows: readonly ListRow[]; newest: string }) {
  return (
    <details class={s.earlier}>
      <summary>{countText(rows.length, 'earlier session')} about the same alert</summary>
      <ul>
        {rows.map(({ sessionId, shown, createdAt }) => (
          <li key={sessionId}>
            <Status status={shown} plain />
            <a href={`/s/${sessionId}`}>
              {createdAt === null ? sessionId : beganText(createdAt, serverNow())}
            </a>{' '}
            <a href={compareAddress(newest, sessionId)}>Compare</a>
          </li>
        ))}
      </ul>
    </details>
  );
}
