// A number beside a word, copied in brackets: `revision 7` with source 2 is not `72`.

import type { ComponentChildren } from 'preact';
import parts from '../../parts/parts.module.css';

/** The number; its brackets are not seen. */
export function CopiedBrackets({ children }: { children: ComponentChildren }) {
  return (
    <>
      <span class={parts.hidden}>[</span>
      {children}
      <span class={parts.hidden}>]</span>
    </>
  );
}
