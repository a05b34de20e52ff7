// The name of a tool in an analysis: a link to its call, or to each of its calls.

import { useId } from 'preact/hooks';
import s from './analysis.module.css';
import { CopiedBrackets } from './CopiedBrackets.tsx';

/** A call that a name leads to. */
export interface ToolCall {
  toolName: string;
  href: string;
  iteration: number | null;
}

/** A name and its links. */
export function ToolName({ text, calls }: { text: string; calls: readonly ToolCall[] }) {
  const id = useId();
  const [first, ...others] = calls;
  if (first === undefined) return <>{text}</>;
  const where = (call: ToolCall) => `${text}, iteration ${call.iteration ?? 'unknown'}`;
  if (others.length === 0)
    return (
      <a class={s.tool} href={first.href} aria-label={where(first)}>
        {text}
      </a>
    );
  return (
    <span class={s.several}>
      <a class={s.tool} href={first.href} aria-label={where(first)}>
        {text}
      </a>
      <button
        type="button"
        class={s.mark}
        popovertarget={id}
        aria-label={`All ${calls.length} calls of ${text}`}
      >
        <CopiedBrackets>{calls.length}</CopiedBrackets>
      </button>
      <span id={id} popover="auto" class={s.popover}>
        {calls.map((call) => (
          <a key={call.href} href={call.href}>
            {where(call)}
          </a>
        ))}
      </span>
    </span>
  );
}
