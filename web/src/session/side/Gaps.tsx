// What a session lacks: masked values, refused calls, missing servers, documents that cannot be read.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { countText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { listExecutions } from '../state/sentences.ts';
import s from './side.module.css';

/** Masked values, refused calls and missing servers; nothing without any. */
export function NotLet({ view }: { view: SessionView }) {
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

/** Documents that are left out of the page; nothing without any. */
export function NotReadable({ view: { unreadable } }: { view: SessionView }) {
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
