// Copies a text without a final line break: a pasted command must not run at once.

import { useSignal } from '@preact/signals';
import { Icon } from './Icon.tsx';
import s from './parts.module.css';

const SHOWN_MS = 2_000;

/** A button that copies a text. @param label Beside the icon. @param what For screen readers. */
export function CopyButton({ text, label, what }: { text: string; label?: string; what: string }) {
  const outcome = useSignal('');
  const copied = text.replace(/\n+$/, '');
  const lines = copied.split('\n').length;
  const copy = () => {
    const say = (said: string) => {
      outcome.value = said;
      setTimeout(() => {
        outcome.value = '';
      }, SHOWN_MS);
    };
    navigator.clipboard.writeText(copied).then(
      () => say(lines > 1 ? `Copied ${lines} lines` : 'Copied'),
      () => say('Not copied'),
    );
  };
  return (
    <button type="button" class={s.quiet} onClick={copy}>
      <Icon name="copy" />
      <span class={outcome.value === '' ? s.words : undefined}>
        {outcome.value === '' ? (label ?? 'Copy') : outcome.value}
      </span>
      <span class={s.hidden}> {what}</span>
      <span class={s.hidden} role="status">
        {outcome.value}
      </span>
    </button>
  );
}
