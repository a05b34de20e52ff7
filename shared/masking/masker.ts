// Masks secrets in text: known values in all their forms, then findings of the rules. Pure: the same values,
// rules, key and text give the same result in every process.

import type { Masked, Masker } from '../core/contract/guard.ts';
import { runAllSteps, runGradually } from '../text/yieldingSteps.ts';
import { canarySearch, deriveCanary } from './canary.ts';
import { findBase64Secrets } from './finders/base64.ts';
import { type Engine, findSpans } from './findSpans.ts';
import { formsAsLettersAndDigits, secretsAsLettersAndDigits } from './lettersAndDigits.ts';
import { maskJson } from './maskJson.ts';
import { GROUPS, type MaskingGroup, STRUCTURES } from './ruleGroups.ts';
import { findKeyMeaning } from './scan/keyNames.ts';
import { createMarker, MARK } from './scan/maskMarks.ts';
import { atOnce, type Finder, type Scan } from './scan/scan.ts';
import { PIECES, type Pieces, spansInPieces } from './searchLongText.ts';
import { compileStrings, type ManyStrings } from './searchMany.ts';
import { isSearchable, type KnownForm, knownForms } from './secretEncodings.ts';
import { createSecretFreeTexts } from './secretFreeTexts.ts';
import { createLeakCheck } from './secretLeak.ts';
import type { Span } from './spans.ts';
import { canaryForms, createSplitLeakCheck, type SpreadForms, spreadForms } from './splitSecretLeak.ts';
import { findByUserRules, type UserRule } from './userRules.ts';

/** The rules of masking.yaml. */
export interface MaskingRules {
  /** Groups of rules that are switched off. */
  off: readonly MaskingGroup[];
  /**
   * Texts that are never masked, not even if they are known. They match whole values: `never: [abc]` exempts
   * `abc`, not `abcd`.
   */
  never: readonly string[];
  /** Names of keys whose values are never masked by the name, in any case: `page_token`. */
  neverKeys: readonly string[];
  /** Rules of the user's own. */
  rules: readonly UserRule[];
}

/** All groups, and nothing of one's own. */
export const DEFAULT_MASKING: MaskingRules = { off: [], never: [], neverKeys: [], rules: [] };

/** The rules, secrets and session key of a masker. */
interface MaskerOptions {
  /**
   * Secrets of this process (`knownSecrets`). Short ones (under 4 characters) and common words are skipped.
   */
  known?: readonly string[];
  /** Default: all groups. */
  rules?: MaskingRules;
  /** Key of the marks' digits, and of the canary. Without it marks have none: `[masked:password]`. */
  sessionKey?: string;
  /** `known`, prepared with `prepareSecrets` for many maskers. Takes the place of `known`. */
  prepared?: PreparedSecrets;
  /** How longer texts are cut. Default: into pieces of 256 Ki characters. */
  pieces?: Pieces;
}

/** Known secrets in all their forms. Maskers share it: it can take megabytes. */
interface PreparedSecrets {
  /** The search for all forms of the secrets. */
  forms: ManyStrings<KnownForm>;
  /** Whether one of them holds a blank. */
  hasBlanks: boolean;
  /** The letters and digits of each. */
  condensed: readonly string[];
  /** The forms in which parts of each are found; made at the first use. */
  spread: () => SpreadForms;
  /** Secrets whose digits are kept apart from all others. */
  fixed: readonly string[];
}

/** Longest text that is read, in UTF-16 code units: several times the largest result, alert or answer. */
export const MAX_TEXT = 32 * 1024 * 1024;
/** A mark can move a rule's word nearer to a value, so a second pass finds more; a fourth never did. */
const MAX_PASSES = 6;
/** Texts up to this length, in UTF-16 code units, are masked in one step: JSON can have thousands. */
const SHORT_TEXT = 4096;
/** No rule except those of structure looks further than this beside a mark. */
const AROUND = 600;
/** Spans that are replaced in a step. */
const SPANS_OF_STEP = 5000;

/**
 * Prepares secrets for maskers with these rules.
 * @param learned secrets that only this process knows. The digits of others do not depend on them.
 */
export function prepareSecrets(
  known: readonly string[],
  rules: MaskingRules = DEFAULT_MASKING,
  learned: readonly string[] = [],
): PreparedSecrets {
  const isWanted = (secret: string) => isSearchable(secret) && !rules.never.includes(secret);
  const fixed = known.filter(isWanted);
  const all = [...fixed, ...learned.filter(isWanted)];
  return {
    forms: compileStrings(knownForms(all)),
    hasBlanks: all.some((secret) => secret.includes(' ')),
    condensed: secretsAsLettersAndDigits(all),
    spread: callOnce(() => spreadForms(all)),
    fixed,
  };
}

/** Creates a masker, which keeps the latest short texts without secrets. @throws Error for a bad pattern. */
export function createMasker({
  known = [],
  rules = DEFAULT_MASKING,
  sessionKey,
  prepared = prepareSecrets(known, rules),
  pieces = PIECES,
}: MaskerOptions): Masker {
  const canary = sessionKey === undefined ? undefined : deriveCanary(sessionKey);
  const engine: Engine & { pieces: Pieces } = {
    forms: prepared.forms,
    hasBlanks: prepared.hasBlanks,
    findCanary: canary === undefined ? undefined : canarySearch(canary),
    canary: canary ?? '',
    ...selectFinders(rules),
    pieces,
    looksInside: !rules.off.includes('encoded'),
    never: new Set(rules.never),
    marker: createMarker(sessionKey, prepared.fixed),
  };
  const clean = createSecretFreeTexts();
  function* maskingSteps(text: string): Generator<undefined, Masked> {
    if (clean.has(text)) return { text, count: 0, kinds: {} };
    const masked = text.length <= SHORT_TEXT ? maskText(engine, text) : yield* maskSteps(engine, text);
    if (masked.count === 0) clean.add(text);
    return masked;
  }
  const mask = (text: string): Masked => runAllSteps(maskingSteps(text));
  const jsonSteps = (value: unknown) =>
    maskJson(value, {
      mask: maskingSteps,
      maskWhole: (text, kind) => maskWhole(engine, text, kind),
      meaningOf: (name) => nameMeaning(rules, name),
    });
  const { condensed } = prepared;
  return {
    canary,
    mask,
    maskGradually: (text) => runGradually(maskSteps(engine, text)),
    wouldChange: (text) => mask(text).count > 0,
    findLeak: createLeakCheck({ condensed, canary, kindsIn: (text) => mask(text).kinds }),
    hasSplitLeak: createSplitLeakCheck({
      condensed: canary === undefined ? condensed : [...condensed, ...formsAsLettersAndDigits(canary)],
      forms: callOnce(() => [prepared.spread(), ...(canary === undefined ? [] : [canaryForms(canary)])]),
    }),
    markOf: (text, kind) => engine.marker.marksFor([{ kind, secret: text }])[0] ?? `[masked:${kind}]`,
    maskJson: (value) => runAllSteps(jsonSteps(value)),
    maskJsonGradually: (value) => runGradually(jsonSteps(value)),
  };
}

/** A function that calls `make` once, and returns the same result each time. */
function callOnce<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function nameMeaning(rules: MaskingRules, name: string): ReturnType<typeof findKeyMeaning> {
  if (rules.off.includes('keyNames') || isNever(rules, name)) return undefined;
  return findKeyMeaning(name);
}

const isNever = ({ neverKeys }: MaskingRules, name: string): boolean =>
  neverKeys.some((key) => key.toLowerCase() === name.toLowerCase());

/** The finders that are switched on: those of places, and those of whole texts. */
function selectFinders(rules: MaskingRules): Pick<Engine, 'all' | 'finders' | 'structures'> {
  const groups = Object.entries(GROUPS) as [MaskingGroup, readonly Finder[]][];
  const on = groups.filter(([name]) => !rules.off.includes(name));
  const skipping = <T>(finders: readonly ((scan: Scan) => T)[]) =>
    rules.neverKeys.length === 0 ? finders : finders.map((finder) => withoutKeys(finder, rules));
  const structures = skipping(rules.off.includes('kubernetes') ? [] : STRUCTURES);
  const own = rules.rules.length === 0 ? [] : [findByUserRules(rules.rules)];
  const local = skipping(on.flatMap(([name, finders]) => (name === 'kubernetes' ? [] : finders)));
  const all = [...own, ...structures.map(atOnce), ...local];
  const encoded = rules.off.includes('encoded') ? [] : [findBase64Secrets(all)];
  return { structures, finders: [...own, ...local, ...encoded], all: [...all, ...encoded] };
}

/** The finder without values behind keys that are never masked. */
function withoutKeys<T>(finder: (scan: Scan) => T, rules: MaskingRules): (scan: Scan) => T {
  return (scan) =>
    finder({
      ...scan,
      found(start, end, kind) {
        const key = /([\w.-]{1,100})\\{0,7}["']?\s{0,5}[:=]\s{0,5}\\{0,7}["']?$/.exec(
          scan.text.slice(Math.max(0, start - 130), start),
        )?.[1];
        if (key === undefined || !isNever(rules, key)) scan.found(start, end, kind);
      },
    });
}

function maskText(engine: Engine & { pieces: Pieces }, text: string): Masked {
  return runAllSteps(maskSteps(engine, text));
}

/** Masks a text in steps that each take a limited time. */
function* maskSteps(engine: Engine & { pieces: Pieces }, text: string): Generator<undefined, Masked> {
  if (text === '') return { text, count: 0, kinds: {} };
  try {
    if (text.length > MAX_TEXT) return maskUnreadable(engine, text);
    let masked: Masked = { text, count: 0, kinds: {} };
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const spans = yield* findTextSpans(engine, masked.text);
      if (spans.length === 0) return masked;
      masked = yield* replaceSpans(engine, masked, spans);
      // Only text near a new mark can have changed its meaning.
      if ((yield* findTextSpans(engine, aroundMarks(masked.text, masked.count))).length === 0) return masked;
    }
    return maskUnreadable(engine, text);
  } catch {
    // Whatever failed (too much work, a rule, memory), the text was not searched to its end.
    return maskUnreadable(engine, text);
  }
}

function* findTextSpans(engine: Engine & { pieces: Pieces }, text: string): Generator<undefined, Span[]> {
  return text.length <= engine.pieces.length + engine.pieces.overlap
    ? yield* findSpans(engine, text)
    : yield* spansInPieces(engine, text, engine.pieces);
}

/** The text around all marks, as far as any rule looks; all of it if there are many. */
function aroundMarks(text: string, count: number): string {
  if (count * 2 * AROUND > text.length) return text;
  const parts: string[] = [];
  let done = 0;
  for (const { index, 0: mark } of text.matchAll(MARK)) {
    const start = Math.max(done, index - AROUND);
    const end = index + mark.length + AROUND;
    if (start > done) parts.push('\n');
    parts.push(text.slice(start, end));
    done = Math.max(done, end);
  }
  return parts.join('');
}

function* maskWhole(
  engine: Engine & { pieces: Pieces },
  secret: string,
  kind: string,
): Generator<undefined, Masked> {
  if (engine.never.has(secret)) return { text: secret, count: 0, kinds: {} };
  const inner = yield* maskSteps(engine, secret);
  // Part of it is masked already, or all: then its digits stay those of the same secret elsewhere.
  if (/^\[masked:[^\]]{1,120}\]$/.test(inner.text)) return inner;
  return { text: engine.marker.marksFor([{ kind, secret }])[0] ?? '', count: 1, kinds: { [kind]: 1 } };
}

function maskUnreadable(engine: Engine, text: string): Masked {
  const [mark = '[masked:unreadable]'] = engine.marker.marksFor([{ kind: 'unreadable', secret: text }]);
  // A mark of an unreadable text is no text that could be masked again.
  return { text: mark, count: 1, kinds: { unreadable: 1 } };
}

function* replaceSpans(engine: Engine, before: Masked, spans: readonly Span[]): Generator<undefined, Masked> {
  const markOf = yield* engine.marker.markingOf(spans);
  const kinds: Record<string, number> = { ...before.kinds };
  const parts: string[] = [];
  let position = 0;
  for (let from = 0; from < spans.length; from += SPANS_OF_STEP) {
    const pieces: string[] = [];
    for (const span of spans.slice(from, from + SPANS_OF_STEP)) {
      pieces.push(before.text.slice(position, span.start), markOf(span));
      kinds[span.kind] = (kinds[span.kind] ?? 0) + 1;
      position = span.end;
    }
    parts.push(pieces.join(''));
    yield undefined;
  }
  parts.push(before.text.slice(position));
  return { text: parts.join(''), count: before.count + spans.length, kinds };
}
