// Decides how much of a growing text can be shown: masking recognises a secret only when its end and the text
// around it have arrived.

/**
 * Characters that must follow the shown part. The rules need some 80 of them, in all samples of the tests; a
 * known secret of many words can need more.
 */
const AHEAD = 200;
/** The first or last line of a block of code, also within lists and quotations. */
const FENCE = /^(?:[ \t>]|[-*+] |\d{1,9}[.)] )*(`{3,}|~{3,})(.*)$/;
/**
 * Data that rules of structure read as a whole: manifests, whose kind can come last, JSON, XML, keys and
 * base64 in lines. Prose around it waits for the end of its paragraph, too.
 */
const DATA =
  /\b(?:data|stringData|binaryData)\\*["']?\s*:|[{[]\s*\\*["'{[]|[<‹][A-Za-z!]|-{4,5} ?BEGIN|PuTTY|Private-Lines|\[masked:private-key/;
/**
 * A line of a key, whose last line can identify it: only base64, behind signs or not, or a long run of it
 * behind anything. Digests have no capital letters.
 */
const KEY_LINE =
  /^[ \t>|#*"'+-]{0,12}(?=[A-Za-z+/]*\d)(?=[a-z0-9+/]*[A-Z])[A-Za-z0-9+/]{16,}={0,2}["'\\, \t|]{0,8}$|(?<![A-Za-z0-9+/])(?=[a-z0-9+/]*[A-Z])[A-Za-z0-9+/]{40,}/m;

/**
 * The start of a growing masked text that no later text can turn into a secret: up to a blank or line
 * break with 200 characters behind it, outside of an open block of code, and outside of an unfinished
 * paragraph with structured data. Secrets that are recognisable only by a later mention are not foreseen.
 */
export function finishedPart(masked: string): string {
  const safe = masked.length - AHEAD;
  if (safe <= 0) return '';
  const { openFence, closedAt } = findCodeFences(masked);
  const paragraph = Math.max(closedAt, lastBlankLine(masked));
  const shown = masked.slice(paragraph);
  const isData = openFence === undefined && (DATA.test(shown) || KEY_LINE.test(shown));
  const end = Math.min(safe, openFence ?? masked.length, isData ? paragraph : masked.length);
  return masked.slice(0, blankBefore(masked, end));
}

/** The start of the block of code that is open at the end of a text, and the end of the last closed one. */
function findCodeFences(text: string): { openFence: number | undefined; closedAt: number } {
  let open: { at: number; sign: string } | undefined;
  let closedAt = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const next = newline === -1 ? text.length : newline + 1;
    const [, sign = '', rest = ''] = FENCE.exec(text.slice(start, newline === -1 ? next : newline)) ?? [];
    if (open === undefined && sign !== '') open = { at: start, sign };
    else if (open !== undefined && sign.startsWith(open.sign) && rest.trim() === '') {
      open = undefined;
      closedAt = next;
    }
    start = next;
  }
  return { openFence: open?.at, closedAt };
}

function lastBlankLine(text: string): number {
  const found = [...text.matchAll(/\n[ \t]*(?=\n)/g)].at(-1);
  return found === undefined ? 0 : found.index + found[0].length;
}

/** Behind the last blank or line break before `end`; 0 without any. */
function blankBefore(text: string, end: number): number {
  let at = end;
  while (at > 0 && !/\s/.test(text.charAt(at - 1))) at--;
  return at;
}
