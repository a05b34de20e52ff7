// A confidence that a model states of itself, marked as its own word. No code has checked it.

const LEVEL = '(high|medium|low)';
const STATED = new RegExp(
  `\\b${LEVEL} confidence\\b(?! of the model)|\\bconfidence(?: level| is|)(:?) ${LEVEL}\\b`,
  'gi',
);
/** `**Root cause** (high):` */
const BEHIND_LEAD = new RegExp(`(\\*\\*[^*\\n]{1,60}\\*\\* *)\\(${LEVEL}\\)`, 'gi');

/** The text with `confidence of the model` where it states a confidence. */
export function markConfidence(text: string): string {
  return text
    .replace(BEHIND_LEAD, '$1(confidence of the model: $2)')
    .replace(STATED, (whole, before?: string, colon?: string, level?: string) =>
      before === undefined ? `confidence of the model${colon || ' is'} ${level}` : `${whole} of the model`,
    );
}
