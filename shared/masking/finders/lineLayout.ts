// How lines of a manifest are in a text: plain, or behind a prefix of a logger, `grep -n`, a diff.

/** A layout of lines. */
export interface LineLayout {
  /** Matches the prefix of a line, sticky. Undefined: the lines have none. */
  prefix?: RegExp;
  /** Whether lines without the prefix are passed over. */
  prefixed: boolean;
  /** The text behind the content of each line: `\n","stream":"stdout"}`. */
  suffix?: string;
}

const PLAIN: LineLayout = { prefixed: false };
const DIFF: LineLayout = { prefix: /[-+ ]/y, prefixed: false };
/** A changed line of a diff. `- kind: Pod` is an item of a list. */
const DIFF_LINE = /^(?:\+[ \t]*|-(?:[ \t]{2,})?)["']?[\w./-]{1,253}["']?:/m;
/** Texts with more layouts than that are no manifests. */
const MAX_LAYOUTS = 6;
const MAX_EXAMINED = 50;
const MAX_PREFIX = 300;

/** The layouts of the lines that `anchor`, a global pattern, matches; at most seven, and the plain one. */
export function findLineLayouts(text: string, anchor: RegExp): LineLayout[] {
  const layouts = new Map<string, LineLayout>([['', PLAIN]]);
  if (DIFF_LINE.test(text)) layouts.set('diff', DIFF);
  anchor.lastIndex = 0;
  let examined = 0;
  for (let hit = anchor.exec(text); hit !== null; hit = anchor.exec(text)) {
    if (++examined > MAX_EXAMINED || layouts.size > MAX_LAYOUTS) break;
    const lineStart = text.lastIndexOf('\n', hit.index) + 1;
    if (hit.index - lineStart > MAX_PREFIX) continue;
    const before = text.slice(lineStart, hit.index);
    const behind = hit.index + hit[0].length;
    const newline = text.indexOf('\n', behind);
    const suffix = text.slice(behind, Math.min(newline < 0 ? text.length : newline, behind + 40)).trim();
    // Indentation belongs to the manifest; a dash and a quotation mark belong to it or to the prefix.
    for (const prefix of new Set([before.replace(/[ \t]*(?:-[ \t]+)*["']?$/, ''), before.trimEnd()])) {
      if (/^[-+"'\s]*$/.test(prefix)) continue;
      const source = toPrefixPattern(prefix);
      layouts.set(source, {
        prefix: new RegExp(source, 'y'),
        prefixed: true,
        ...readLayoutSuffix(prefix, suffix),
      });
    }
  }
  return [...layouts.values()];
}

function readLayoutSuffix(prefix: string, behind: string): Pick<LineLayout, 'suffix'> {
  if (behind !== '') return behind.startsWith('#') ? {} : { suffix: behind.slice(0, 4) };
  const quote = /["']$/.exec(prefix)?.[0];
  return quote === undefined ? {} : { suffix: quote };
}

/** The pattern of prefixes like this one: numbers and times differ, `grep` writes `-` around a hit. */
export function toPrefixPattern(prefix: string): string {
  return prefix
    .replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    .replace(/\d+/g, '\\d{1,20}')
    .replace(/[ \t]+/g, '[ \\t]{1,40}')
    .replace(/[:-]/g, '[:-]')
    .replace(/std(?:out|err)/g, 'std(?:out|err)');
}

/** The part of a line that belongs to the manifest; undefined for a line of something else. */
export function cutManifestLine(
  line: string,
  { prefix, prefixed, suffix }: LineLayout,
): { lead: number; content: string } | undefined {
  if (prefix === undefined) return { lead: 0, content: line };
  prefix.lastIndex = 0;
  const lead = prefix.exec(line)?.[0].length;
  if (lead === undefined) return prefixed ? undefined : { lead: 0, content: line };
  const end =
    suffix === undefined ? -1 : suffix.length > 1 ? line.indexOf(suffix, lead) : line.lastIndexOf(suffix);
  return { lead, content: line.slice(lead, end < lead ? line.length : end).trimEnd() };
}
