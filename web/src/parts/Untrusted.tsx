// Untrusted text: isolated from the direction of the text around it, with masked values marked.

import { signal } from '@preact/signals';
import s from './parts.module.css';

const MARK = /(\[masked:[a-z][a-z0-9-]{0,40}(?:#[0-9a-f]{6,64})?\])/;
/** The mark under the pointer or in focus: equal marks are equal values. */
const lit = signal('');

/** Untrusted text. */
export function Untrusted({ text }: { text: string }) {
  return (
    <bdi>
      <Marked text={text} />
    </bdi>
  );
}

/** A text with its marks, without isolation of its own. */
export function Marked({ text }: { text: string }) {
  if (!text.includes('[masked:')) return <>{text}</>;
  return (
    <>
      {text.split(MARK).map((piece, index) => (index % 2 === 0 ? piece : <Mask key={index} mark={piece} />))}
    </>
  );
}

function Mask({ mark }: { mark: string }) {
  const light = () => {
    lit.value = mark;
  };
  const dim = () => {
    lit.value = '';
  };
  return (
    <span
      class={lit.value === mark ? `${s.masked} ${s.same}` : s.masked}
      title="Masked. Equal marks are equal values."
      tabIndex={0}
      role="note"
      onMouseEnter={light}
      onMouseLeave={dim}
      onFocus={light}
      onBlur={dim}
    >
      {mark.slice(1, -1)}
    </span>
  );
}
