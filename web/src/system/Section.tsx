// A section of the page, which an address can name.

import type { ComponentChildren } from 'preact';
import { SECTIONS } from '../frame/healthWords.ts';
import parts from '../parts/parts.module.css';
import s from './system.module.css';

/** A panel with its heading. @param note beside the heading. */
export function Section({
  id,
  note,
  children,
}: {
  id: keyof typeof SECTIONS;
  note?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section id={id} class={`${parts.panel} ${s.section}`} aria-labelledby={`${id}-title`}>
      <div class={parts.panelHead}>
        <h2 id={`${id}-title`} tabIndex={-1}>
          {SECTIONS[id]}
        </h2>
        {note && <span class={parts.meta}>{note}</span>}
      </div>
      {children}
    </section>
  );
}
