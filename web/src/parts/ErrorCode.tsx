// The code of an error, as a link to its cause and remedy.

import s from './parts.module.css';

/** The link; a code that has none is text. */
export function ErrorCode({ code }: { code: string }) {
  if (!/^[A-Z][A-Z_]*$/.test(code)) return <b>{code}</b>;
  return (
    <a class={s.code} href={`/errors#${code}`} title="What it means, and what to do">
      {code}
    </a>
  );
}
