// A status: word, glyph and colour.

import { Icon } from './Icon.tsx';
import s from './parts.module.css';
import { statusShown } from './statusDisplay.ts';

/** A status in words. @param plain Without a tint, where it requires no action. */
export function Status({ status, plain = false }: { status: string | null; plain?: boolean }) {
  const { word, icon, tone } = statusShown(status);
  return (
    <span class={`${s.status} ${s[tone]} ${plain ? s.plain : s.pill}`} data-status={status}>
      <Icon name={icon} {...(icon === 'ring' && { class: s.spin ?? '' })} />
      {word}
    </span>
  );
}
