// One sentence about the current activity, or the reason for none.

import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { serverNow, tick } from '../api/clock.ts';
import { durationText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import { statusShown } from '../parts/statusDisplay.ts';
import s from './session.module.css';
import { describeNow } from './state/sentences.ts';

/** The current activity, with elapsed time and deadline; nothing while an approval waits. */
export function NowLine({ view }: { view: SessionView }) {
  if (view.approvals.some((one) => one.status === 'pending')) return null;
  const now = Math.max(tick.value, serverNow());
  const { status, lead, rest } = describeNow(view, now);
  const { icon, tone } = statusShown(status);
  const startMs = Date.parse(view.createdAt);
  return (
    <div class={`${s.now} ${parts[tone]}`} data-now>
      <Icon name={icon} {...(icon === 'ring' && { class: parts.spin ?? '' })} />
      <p>
        <b>
          <bdi>{lead}</bdi>
        </b>{' '}
        <bdi>{rest}</bdi>
      </p>
      {status !== 'deferred' && (
        <span class={parts.number}>
          {durationText(Math.max(0, now - startMs))} of {durationText(Date.parse(view.deadline) - startMs)}
        </span>
      )}
    </div>
  );
}
