// The head of an analysis: confidence, limits and summary.

import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Confidence } from '../../markdown/leadIns.ts';
import { Icon } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from './analysis.module.css';

const WORDS: Record<Confidence, string> = {
  high: 'High confidence',
  medium: 'Medium confidence',
  low: 'Low confidence',
};
const BARS: Record<Confidence, number> = { high: 3, medium: 2, low: 1 };

/** The confidence that the analysis states. @param isJudged whether a verdict of code stands beside it. */
export function ConfidenceMark({ confidence, isJudged }: { confidence: Confidence; isJudged: boolean }) {
  return (
    <span class={s.confidence} data-level={confidence}>
      <svg viewBox="0 0 16 12" width="16" height="12" aria-hidden="true">
        {[0, 1, 2].map((bar) => (
          <rect
            key={bar}
            x={bar * 6}
            y={8 - bar * 4}
            width="4"
            height={4 + bar * 4}
            rx="1"
            data-on={bar < BARS[confidence]}
          />
        ))}
      </svg>
      {isJudged ? `Model: ${confidence}` : WORDS[confidence]}
    </span>
  );
}

/** Why the analysis is limited: before the first word of it. */
export function Limits({ limits }: { limits: readonly string[] }) {
  if (limits.length === 0) return null;
  return (
    <ul class={`${parts.box} ${parts.late} ${s.limits}`} aria-label="Limits of this analysis" data-limits>
      {limits.map((text) => (
        <li key={text}>
          <Icon name="warning" /> <Untrusted text={text} />
        </li>
      ))}
    </ul>
  );
}

/**
 * On a phone four lines at most above the next command, nine without one, the rest on demand: the cause stands on the screen,
 * too.
 */
export function Summary({ text, isAboveCommand }: { text: string; isAboveCommand: boolean }) {
  const isWhole = useSignal(false);
  const isCut = useSignal(false);
  const paragraph = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    const measure = () => {
      const { scrollHeight = 0, clientHeight = 0 } = paragraph.current ?? {};
      isCut.value = scrollHeight > clientHeight + 1;
    };
    // Only a narrow screen cuts it. There the button has its place from the first frame; elsewhere no layout is forced.
    if (matchMedia('(max-width: 37.5em)').matches) measure();
    const observer = new ResizeObserver(measure);
    if (paragraph.current !== null) observer.observe(paragraph.current);
    return () => observer.disconnect();
  }, [text]);
  return (
    <div class={s.summary}>
      <p ref={paragraph} class={isWhole.value ? undefined : isAboveCommand ? s.clamped : s.clampedLate}>
        <Untrusted text={text} />
      </p>
      {isCut.value && !isWhole.value && (
        <button
          type="button"
          class={parts.quiet}
          onClick={() => {
            isWhole.value = true;
          }}
        >
          Show all
        </button>
      )}
    </div>
  );
}
