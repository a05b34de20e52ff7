// Schedules: next time, latest run, missed times. Responders run, pause and resume them.

import { useSignal } from '@preact/signals';
import type { Schedule } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { serverNow } from '../../api/clock.ts';
import { useResource } from '../../api/useResource.ts';
import { canAct } from '../../frame/currentUser.ts';
import { PageHead } from '../../frame/Frame.tsx';
import frame from '../../frame/frame.module.css';
import { shortId } from '../../model/address.ts';
import { beganText, countText, dayText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Reading } from '../../parts/Reading.tsx';
import { Status } from '../../parts/Status.tsx';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from './schedules.module.css';

/** The page. */
export function SchedulesPage() {
  const schedules = useResource((left) => api.get('/v1/schedules', {}, left));
  return (
    <>
      <PageHead title="Schedules">
        <p class={parts.meta}>Checks at fixed times. Their sessions end as healthy or need attention.</p>
      </PageHead>
      <div class={frame.page}>
        <Reading resource={schedules} needs="viewer" missing="This server has no schedules.">
          {(read) =>
            read.schedules.length === 0 ? (
              <p class={parts.box}>
                There are no schedules. <code>schedules.yaml</code> of the configuration defines them.
              </p>
            ) : (
              <ul class={`${parts.panel} ${s.list}`}>
                {read.schedules.map((one) => (
                  <Item key={one.name} schedule={one} reload={schedules.reload} />
                ))}
              </ul>
            )
          }
        </Reading>
      </div>
    </>
  );
}

function Item({ schedule, reload }: { schedule: Schedule; reload: () => void }) {
  const { name, cron, timezone, chain, onlyIf, nextAt, state } = schedule;
  const without = (state?.recent ?? []).filter(({ outcome }) => outcome !== 'requested');
  const paused = state?.paused ?? null;
  return (
    <li>
      <div class={s.head}>
        <h2>
          <Untrusted text={name} />
        </h2>
        {canAct.value && <Acts name={name} isPaused={paused !== null} reload={reload} />}
      </div>
      <dl class={s.facts}>
        <dt>Next run</dt>
        <dd>
          {paused !== null ? (
            <>
              <Status status="paused" plain /> by <Untrusted text={paused.by} />,{' '}
              <Time iso={paused.at} text={dayText(paused.at)} />
            </>
          ) : nextAt === null ? (
            'none'
          ) : (
            <Time iso={nextAt} text={dayText(nextAt)} />
          )}
        </dd>
        <dt>Last run</dt>
        <dd>
          <LastRun schedule={schedule} />
        </dd>
        {without.length > 0 && (
          <>
            <dt>Without a run</dt>
            <dd>
              {countText(state?.missed ?? 0, 'time')} missed, {state?.overlaps ?? 0} skipped during another
              run
              <ul>
                {without.map(({ slot, outcome }) => (
                  <li key={slot}>
                    <Time iso={slot} text={dayText(slot)} /> {outcome === 'overlap' ? 'skipped' : outcome}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
      <p class={parts.meta}>
        <code>{cron}</code> {timezone} · {chain === null ? 'default chain' : <>chain {chain}</>} ·{' '}
        {onlyIf === 'changed' ? 'a change of the result is delivered' : 'every result is delivered'}
      </p>
    </li>
  );
}

/** The result of the latest run, with a link to its session. */
function LastRun({ schedule: { check } }: { schedule: Schedule }) {
  if (check === null) return <>none yet</>;
  const { state, status, result, reason, sessionId, slot } = check;
  const shown = result ?? status ?? state;
  return (
    <>
      {state === 'refused' ? (
        <>
          refused: <Untrusted text={reason ?? ''} />
        </>
      ) : (
        <Status status={shown} />
      )}{' '}
      <Time iso={slot} text={beganText(slot, serverNow())} />{' '}
      {sessionId !== null && (
        <a href={`/s/${sessionId}`}>
          Session <bdi>{shortId(sessionId)}</bdi>
        </a>
      )}
    </>
  );
}

function Acts({ name, isPaused, reload }: { name: string; isPaused: boolean; reload: () => void }) {
  const outcome = useSignal('');
  const act = async (kind: 'run' | 'pause' | 'resume', done: string) => {
    try {
      await api.post(`/v1/schedules/{name}/${kind}`, { name }, undefined);
      outcome.value = done;
      reload();
    } catch (cause) {
      outcome.value = asError(cause).message;
    }
  };
  return (
    <div class={parts.actions}>
      <span role="status">{outcome.value}</span>
      <button type="button" class={parts.button} onClick={() => void act('run', 'Requested')}>
        Run now
      </button>
      {isPaused ? (
        <button type="button" class={parts.button} onClick={() => void act('resume', 'Resumed')}>
          Resume
        </button>
      ) : (
        <button type="button" class={parts.button} onClick={() => void act('pause', 'Paused')}>
          Pause
        </button>
      )}
    </div>
  );
}
