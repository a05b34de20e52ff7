// One alert in the list: title, outcome, rule, reason, fix, session.

import type { ComponentChildren } from 'preact';
import type { AlertFate } from '../../../../shared/lists/apiTypes.ts';
import { serverNow } from '../../api/clock.ts';
import { shortId } from '../../model/address.ts';
import { beganText } from '../../model/format.ts';
import { Icon } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import { Severity } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from './fates.module.css';
import { outcomeShown } from './outcomes.ts';

/** An alert with its fate. @param children The actions for it. */
export function FateItem({ fate, children }: { fate: AlertFate; children?: ComponentChildren }) {
  const { title, outcome, severity, source, state, reason, fix, sessionId, messageId, at } = fate;
  const { word, icon, tone } = outcomeShown(outcome);
  return (
    <li>
      <div class={s.head}>
        <span class={`${parts.status} ${parts[tone]} ${parts.pill}`}>
          <Icon name={icon} />
          {word}
        </span>
        <h2 class={s.title}>
          <Untrusted text={title} />
        </h2>
        <Time iso={at} text={beganText(at, serverNow())} />
      </div>
      <p class={s.reason}>
        <Decider fate={fate} /> <Untrusted text={reason} />
      </p>
      {fix !== null && (
        <p class={s.fix}>
          <b>Fix</b> <Untrusted text={fix} />
        </p>
      )}
      <p class={parts.meta}>
        {severity !== null && <Severity severity={severity} />}{' '}
        {[source, state]
          .filter((one) => one !== null)
          .map((one) => (
            <span key={one}>
              <Untrusted text={one} />
              {' · '}
            </span>
          ))}
        {sessionId !== null && (
          <>
            session <a href={`/s/${sessionId}`}>{shortId(sessionId)}</a>
            {' · '}
          </>
        )}
        message <Untrusted text={messageId} />
      </p>
      {children}
    </li>
  );
}

/** The names of reasons that are no rule. */
const WORDS: Readonly<Record<string, string>> = {
  default: 'default',
  watchdog: 'watchdog',
  rerun: 'rerun',
  incident: 'same problem',
  merge: 'merge',
  split: 'split',
  state: 'state of the alert',
  budget: 'budget',
  settle: 'wait before an investigation',
  own_alert: 'alert about Inquest',
  delivery: 'earlier delivery',
};

/** The rule, budget or code that decided, with its line. */
function Decider({ fate: { by, subject, place } }: { fate: AlertFate }) {
  return (
    <>
      {by === 'rule' ? (
        <>
          rule{' '}
          <code>
            <Untrusted text={subject ?? ''} />
          </code>
        </>
      ) : (
        <Untrusted text={WORDS[by] ?? by} />
      )}
      {place !== null && (
        <>
          {' '}
          <code>
            <Untrusted text={`${place.file}:${place.line}`} />
          </code>
        </>
      )}
      :
    </>
  );
}
