// Addresses in text of a model: takes out those that must not be followed, and keeps the others from being
// loaded by themselves where the text is rendered.

const SCHEME =
  '(?:[a-z][a-z0-9+.-]{1,20}:\\/\\/|\\/\\/(?=[\\w-]{1,60}[.:/])|www\\.|(?:mailto|data|javascript|tel):)';
const RUN = '[^\\s<>"\'`]+';
/**
 * An address: between angle brackets or quotation marks, where it can hold blanks; text that markdown and
 * HTML treat as an address, with any start; else from its scheme to the next blank.
 */
const ADDRESS = new RegExp(
  [
    `<${SCHEME}[^<>\\n]{0,4000}>`,
    '(?<=\\]\\([^\\S\\n]{0,5})<[^<>\\n]{0,4000}>',
    `(?<=["'])${SCHEME}[^"'\\n]{0,4000}(?=["'])`,
    `(?<=\\]\\(\\s{0,5}|\\]:\\s{1,5}|\\b(?:href|src|action|data)\\s{0,3}=\\s{0,3}["']?)${RUN}`,
    `${SCHEME}${RUN}`,
  ].join('|'),
  'giu',
);
/** A mark, which ends with its own bracket. */
const MARK = /\[masked:[^\]\s]{1,120}\]/g;
/** Characters that can follow an address in a sentence or in markdown and are no part of it. */
const TAIL = new Set(')].,;:!?*_|');
/** A shorter one carries nothing. In characters. */
const SHORTEST = 16;

/** Replacement for a removed address. Its blank prevents markdown from turning it into a link. */
const blocked = (host: string): string => (host === '' ? '[link blocked]' : `[link blocked: ${host}]`);

/**
 * The text without the addresses that `isRefused`; their hosts stay readable, unless they are refused
 * themselves.
 * @returns how many were taken out, too.
 */
export function blockLinks(
  text: string,
  isRefused: (address: string) => boolean,
): { text: string; count: number } {
  let count = 0;
  const replaced = text.replace(ADDRESS, (match) => {
    const address = withoutTail(match);
    if (address.length < SHORTEST) return match;
    if (!isRefused(address)) return match;
    count++;
    return `${blocked(readSafeHost(address, isRefused))}${match.slice(address.length)}`;
  });
  return { text: replaced, count };
}

function withoutTail(match: string): string {
  const mark = [...match.matchAll(MARK)].at(-1);
  const least = mark === undefined ? 0 : mark.index + mark[0].length;
  let end = match.length;
  while (end > least && TAIL.has(match.charAt(end - 1))) end--;
  return match.slice(0, end);
}

/** The host of an address, safe to show; empty without one that is safe to show. */
export function readSafeHost(address: string, isRefused: (text: string) => boolean): string {
  const host =
    /^<?(?:[a-z][a-z0-9+.-]{1,20}:)?(?:\/\/)?(?:[^/?#@\s]{0,200}@)?([\w.-]{1,253})(?=[:/?#>]|$)/iu.exec(
      address,
    )?.[1];
  return host === undefined || !host.includes('.') || isRefused(host) ? '' : host;
}

/** Elements of HTML that load something, run something or send something by themselves. */
const LOADING =
  /<(?=\/?(?:img|image|picture|source|video|audio|track|iframe|frame|frameset|embed|object|applet|portal|link|style|script|svg|math|base|meta|form|input|button|body|html|table|td|th|template|slot)\b)/gi;
/** Elements that do so by an attribute. */
const WITH_ATTRIBUTE =
  /<(?=[a-z][^<>]{0,1000}?[\s"'/](?:src|srcset|style|background|poster|data|ping|formaction|on[a-z]{1,30})\s{0,5}=)/gi;

/**
 * Markdown that loads nothing automatically when shown as HTML: an image becomes a link with `image:` in its
 * text, and the `<` of elements that load or run something becomes `‹`.
 */
export function withoutLoading(markdown: string): string {
  const text = markdown.replace(LOADING, '‹').replace(WITH_ATTRIBUTE, '‹');
  // An image needs an address after its brackets, or a definition elsewhere.
  return /\]\s{0,5}[([:]/.test(text) ? text.replace(/!\[/g, '[image: ') : text;
}
