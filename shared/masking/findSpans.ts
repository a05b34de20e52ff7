// Everything in a text that masking replaces: known secrets, findings of the rules, and repetitions of both.

import { CANARY_KIND, type canarySearch } from './canary.ts';
import type { Marker } from './scan/maskMarks.ts';
import { createScan, type Finder, type StructureFinder } from './scan/scan.ts';
import { isPlain } from './scan/values.ts';
import {
  decodedSteps,
  decodedViews,
  joinedViews,
  MAX_LEVELS,
  toOriginalRange,
  type View,
  visibleSteps,
  visibleView,
} from './scan/views.ts';
import { compileStrings, type ManyStrings } from './searchMany.ts';
import type { KnownForm } from './secretEncodings.ts';
import { mergeSpans, type Span, splitAtMarks } from './spans.ts';

/** Found values that are looked for in the rest of the text. */
const MAX_ECHOES = 500;
export const KNOWN_KIND = 'known';

/** The rules and secrets that a masker searches texts with. */
export interface Engine {
  /** The search for all forms of known secrets. */
  forms: ManyStrings<KnownForm>;
  /** Whether a known secret holds a blank. */
  hasBlanks: boolean;
  /** Undefined without a session. */
  findCanary: ReturnType<typeof canarySearch> | undefined;
  /** The canary of the session; empty without a session. */
  canary: string;
  /** Finders of a place and its surroundings. */
  finders: readonly Finder[];
  /** Finders of both kinds, in the order of their precedence. */
  all: readonly Finder[];
  /** Finders that read a whole text, because their findings can stand anywhere in an object. */
  structures: readonly StructureFinder[];
  /** Whether base64 and escapes are decoded. */
  looksInside: boolean;
  /** Values that are not masked, from masking.yaml. */
  never: ReadonlySet<string>;
  /** Makes the marks. */
  marker: Marker;
}

/** Everything in the text that is to be replaced, in its order and without overlaps. A step is a finder. */
export function* findSpans(engine: Engine, text: string): Generator<undefined, Span[]> {
  const visible = visibleView(text);
  const spans = yield* foundIn(engine, text, visible);
  addEchoes(visible, collectEchoes(spans), (view, start, end, kind, secret) =>
    spans.push(...toOriginalSpan(engine, view, { start, end, kind, secret })),
  );
  return splitAtMarks(text, mergeSpans(text, spans));
}

/** The place of a finding in the original text; none for text that is never masked. */
function toOriginalSpan(engine: Engine, view: View, { start, end, kind, secret }: Span): Span[] {
  const [from, to] = toOriginalRange(view, start, end);
  return to > from && !engine.never.has(secret) ? [{ start: from, end: to, kind, secret }] : [];
}

/**
 * All that finders find in a text, in no order, without echoes. `structures`: whether those of whole texts
 * search as well. A step is a finder.
 */
export function* foundIn(
  engine: Engine,
  text: string,
  visible: View,
  structures = true,
): Generator<undefined, Span[]> {
  const spans: Span[] = [];
  const add: AddSpan = (view, start, end, kind, secret) => {
    for (const span of toOriginalSpan(engine, view, { start, end, kind, secret })) spans.push(span);
  };
  const addKnown = (view: View) => searchKnown(engine, view, add);
  const addCanary = (view: View): void =>
    engine.findCanary?.(view.text, (start, end) => add(view, start, end, CANARY_KIND, engine.canary));
  function* addFound(view: View): Generator<undefined, void> {
    const scan = createScan(view.text);
    for (const finder of structures ? engine.all : engine.finders) {
      finder(scan);
      yield undefined;
    }
    for (const { start, end, kind } of scan.findings)
      add(view, start, end, kind, view.text.slice(start, end));
  }

  const views = engine.looksInside ? yield* decodedViews(visible) : [visible];
  for (const view of views) {
    addCanary(view);
    if (engine.forms.isEmpty) continue;
    for (const one of [view, ...joinedViews(view, engine.hasBlanks)]) addKnown(one);
    yield undefined;
  }
  // A secret can contain invisible characters.
  if (visible.text !== text) addKnown({ text });
  for (const view of views) yield* addFound(view);
  return spans;
}

/** All findings of the finders of whole texts, for each level of escapes. */
export function* structuresIn(engine: Engine, text: string): Generator<undefined, Span[]> {
  const spans: Span[] = [];
  let view: View | undefined = yield* visibleSteps({ text });
  for (let level = 0; view !== undefined && level <= MAX_LEVELS; level++) {
    const scan = createScan(view.text);
    for (const finder of engine.structures) {
      yield* finder(scan);
      yield undefined;
    }
    for (const { start, end, kind } of scan.findings)
      spans.push(...toOriginalSpan(engine, view, { start, end, kind, secret: view.text.slice(start, end) }));
    view = engine.looksInside ? yield* decodedSteps(view) : undefined;
  }
  return spans;
}

type AddSpan = (view: View, start: number, end: number, kind: string, secret: string) => void;

/** Finds known secrets; the bits of base64 that stand in the characters beside one belong to it. */
function searchKnown(engine: Engine, view: View, add: AddSpan): void {
  const { text } = view;
  const { spend } = createScan(text);
  engine.forms.search(
    text,
    (at, { form, secret, whole, encoded }) => {
      let [start, end] = [at, at + form.length];
      if (whole && (/[A-Za-z0-9]/.test(text[start - 1] ?? '') || /[A-Za-z0-9]/.test(text[end] ?? ''))) return;
      for (let count = 0; encoded && count < 3 && /[\w+/-]/.test(text[start - 1] ?? ''); count++) start--;
      for (let count = 0; encoded && count < 3 && /[\w+/=-]/.test(text[end] ?? ''); count++) end++;
      add(view, start, end, KNOWN_KIND, secret);
    },
    spend,
  );
}

/**
 * A value that a rule found in one place is masked without its context, too: `password=x`, and later `login
 * with x failed`.
 * @param values the values of earlier spans; those of `spans` are added to it.
 */
export function collectEchoes(
  spans: Iterable<Span>,
  values: Map<string, string> = new Map(),
): ReadonlyMap<string, string> {
  for (const { secret, kind } of spans) {
    if (values.size >= MAX_ECHOES) break;
    if (
      kind === KNOWN_KIND ||
      kind === CANARY_KIND ||
      secret.length < 8 ||
      secret.length > 500 ||
      isPlain(secret) ||
      !/\d/.test(secret) ||
      isPeriodic(secret)
    )
      continue;
    values.set(secret, kind);
  }
  return values;
}

/** Whether a text repeats its start: hostile texts do, and each place would be compared to the end. */
const isPeriodic = (text: string): boolean => text.indexOf(text.slice(0, 8), 1) > 0;

/** Adds the places of values that were found elsewhere. */
export function addEchoes(view: View, values: ReadonlyMap<string, string>, add: AddSpan): void {
  if (values.size === 0) return;
  const { spend } = createScan(view.text);
  compileStrings([...values].map(([form, kind]) => ({ form, kind }))).search(
    view.text,
    (start, { form, kind }) => add(view, start, start + form.length, kind, form),
    spend,
  );
}
