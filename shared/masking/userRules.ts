// Patterns of the user's own, checked when the configuration is loaded. RE2 matches in time linear in the
// text, whatever the pattern, so no pattern can hold up an investigation.

import { RE2JS } from 're2js';
import type { Finder } from './scan/scan.ts';

/** A rule of masking.yaml. */
export interface UserRule {
  /** The kind in the mark. */
  kind: string;
  /** In RE2's syntax. Its first group is masked, if it has one; else the whole match. */
  pattern: string;
  /** Whether upper and lower case are the same. */
  ignoreCase: boolean;
}

const NO_LOOK_AROUND = '; RE2 has no look-around and no back-references';

/** Why a pattern is invalid and how to correct it; undefined for a valid one. */
export function patternFault(pattern: string): string | undefined {
  const compiled = compilePattern(pattern);
  if (!compiled.ok)
    return compiled.message.replace(NO_LOOK_AROUND, `${NO_LOOK_AROUND}: put the part to mask into a group`);
  return compiled.pattern.groupCount() > 1
    ? 'has more than one group; write (?:…) for those that are not masked'
    : undefined;
}

/** A compiled pattern, or why it is invalid and how to correct it. */
export function compilePattern(
  pattern: string,
): { ok: true; pattern: RE2JS } | { ok: false; message: string } {
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.matches('') || compiled.matcher('').find())
      return {
        ok: false,
        message: 'matches the empty text; require at least one character, with + instead of *',
      };
    return { ok: true, pattern: compiled };
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    const hint = /\(\?[=!<]|\\[1-9]/.test(pattern) ? NO_LOOK_AROUND : '';
    return { ok: false, message: `is no pattern of RE2: ${reason}${hint}` };
  }
}

/** A finder of the rules' matches. @throws Error for a pattern that `patternFault` refuses. */
export function findByUserRules(rules: readonly UserRule[]): Finder {
  const compiled = rules.map(({ kind, pattern, ignoreCase }) => ({
    kind,
    pattern: RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0),
  }));
  return ({ text, found, spend }) => {
    for (const { kind, pattern } of compiled) {
      const matcher = pattern.matcher(text);
      while (matcher.find()) {
        const group = pattern.groupCount() > 0 && matcher.group(1) !== null ? 1 : 0;
        spend(matcher.end() - matcher.start());
        found(matcher.start(group), matcher.end(group), kind);
      }
    }
  };
}
