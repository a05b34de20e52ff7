// A word of the glossary. A click, a tap or Enter shows its text; so does a pointer above it.

import { useId } from 'preact/hooks';
import parts from '../parts/parts.module.css';
import { GLOSSARY } from './glossary.ts';
import s from './words.module.css';

/** The word. @param props.text as the page writes it. */
export function Word({ name, text = name }: { name: keyof typeof GLOSSARY; text?: string }) {
  const id = useId();
  return (
    <>
      <button type="button" class={`${parts.time} ${s.word}`} popovertarget={id} title={GLOSSARY[name]}>
        {text}
      </button>
      <span id={id} popover="auto" class={parts.times}>
        {GLOSSARY[name]}
      </span>
    </>
  );
}
