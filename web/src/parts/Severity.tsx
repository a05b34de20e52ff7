// An alert's severity, in its source's word, in lower case: `Critical` and `critical`.

import s from './parts.module.css';
import type { Tone } from './statusDisplay.ts';
import { Untrusted } from './Untrusted.tsx';

/** Words of sources for the most and the less severe alerts; others have no tone. */
const TONES: readonly [RegExp, Tone][] = [
  [/crit|fatal|emerg|disaster|error|high|page|down|^p[01]$|^sev-?[01]$/i, 'fail'],
  [/warn|medium|average|minor|^p[23]$|^sev-?[23]$/i, 'late'],
];

/** A word with a tone. */
export function Severity({ severity }: { severity: string }) {
  if (/^(?:none|no severity)$/i.test(severity)) return null;
  const tone = TONES.find(([words]) => words.test(severity))?.[1] ?? 'none';
  return (
    <span class={`${s.severity} ${s[tone]}`}>
      <span class={s.hidden}>severity </span>
      <Untrusted text={severity.toLowerCase()} />
    </span>
  );
}
