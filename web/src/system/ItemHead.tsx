// The heading of a server or model in its list: name and state.

import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import type { Shown } from '../parts/statusDisplay.ts';
import { Untrusted } from '../parts/Untrusted.tsx';
import s from './system.module.css';

/** The heading. @param props.children stands behind the name. */
export function ItemHead({
  name,
  state,
  children,
}: {
  name: string;
  state: Shown;
  children?: ComponentChildren;
}) {
  return (
    <div class={s.head}>
      <h3>
        <Untrusted text={name} /> {children}
      </h3>
      <span class={`${parts.status} ${parts.pill} ${parts[state.tone]}`}>
        <Icon name={state.icon} />
        {state.word}
      </span>
    </div>
  );
}
