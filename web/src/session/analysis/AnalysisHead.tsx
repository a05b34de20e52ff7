// The head of an analysis: confidence and limits.

import type { Confidence } from '../../markdown/leadInHeadings.ts';
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
