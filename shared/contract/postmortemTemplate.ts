// Templates of postmortems: Markdown with places, and optional settings before it. Pure.

/** The places of a template. */
export const POSTMORTEM_PLACES = [
  'title',
  'severity',
  'started',
  'ended',
  'duration',
  'sessions',
  'summary',
  'impact',
  'cause',
  'resolution',
  'timeline',
  'findings',
  'changes',
  'actions',
  'notes',
  'questions',
  'lessons',
  'followups',
] as const;
/** A place of a template. */
export type PostmortemPlace = (typeof POSTMORTEM_PLACES)[number];

/** A template. */
export interface PostmortemTemplate {
  /** The Markdown with its places: `{{timeline}}`. */
  text: string;
  /** Whether people are shown by their names; otherwise by their role. */
  showsNames: boolean;
}

/** The longest template, in characters. */
export const MAX_TEMPLATE = 50_000;
const SETTINGS = /^---[^\S\n]*\n([\s\S]*?)\n---[^\S\n]*(?:\n|$)/;
const PLACE = /\{\{\s*([^{}\n]{0,60}?)\s*\}\}/g;

/**
 * Reads a template.
 * @returns the template, or why it is none, with the fix.
 */
export function readPostmortemTemplate(source: string): PostmortemTemplate | { fault: string } {
  if (source.length > MAX_TEMPLATE)
    return { fault: `has ${source.length} characters; a template can have at most ${MAX_TEMPLATE}` };
  const whole = source.replaceAll('\r\n', '\n');
  const [head, settings = ''] = SETTINGS.exec(whole) ?? [''];
  const text = whole.slice(head.length);
  const lines = settings.split('\n').map((line) => line.trim());
  const unknown = lines.find((line) => line !== '' && !/^people:\s*(?:names|roles)$/.test(line));
  if (unknown !== undefined)
    return {
      fault: `has the setting "${unknown.slice(0, 60)}"; the only one is "people: names" or "people: roles"`,
    };
  const places = [...text.matchAll(PLACE)].map(([, name = '']) => name);
  const known: readonly string[] = POSTMORTEM_PLACES;
  const wrong = places.find((name) => !known.includes(name));
  if (wrong !== undefined)
    return { fault: `has the place {{${wrong}}}; use one of ${POSTMORTEM_PLACES.join(', ')}` };
  if (places.length === 0)
    return { fault: `has no place such as {{timeline}}; use some of ${known.join(', ')}` };
  return { text, showsNames: lines.some((line) => /^people:\s*names$/.test(line)) };
}

/** Fills the places of a template. */
export function fillTemplate({ text }: PostmortemTemplate, fill: (place: PostmortemPlace) => string): string {
  return text.replace(PLACE, (_, name: PostmortemPlace) => fill(name));
}
