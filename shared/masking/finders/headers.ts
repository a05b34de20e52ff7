// Secrets in HTTP headers: Authorization in all its schemes, cookies, and bearer tokens wherever they stand.

import { matchAt, type Scan } from '../scan/scan.ts';
import { estimateRandomness, isPlaceholder, isPlain } from '../scan/values.ts';

const TRIGGER =
  /authorization|set-cookie|cookie|bearer[\s:=]|\b(?:basic|apikey|sso-key|genie_?key|negotiate)[ :]/gi;
/** `Authorization: `, `"authorization":["`, `Authorization => "`. */
const SEPARATOR = /\\{0,7}["'`]?\]?\s{0,10}(?::|=>?|,)\s{0,20}(?:\[|\()?\\{0,7}["'`]?/y;
const SCHEME =
  /(?:(bearer|basic|token|apikey|api-key|negotiate|ntlm|sso-key|geniekey|ssws|splunk|bot|key|pat|jwt)|(digest|aws4-hmac-sha256|oauth|hawk|mac|signature|token token=))[\s:]+/iy;
const CREDENTIAL = /[^\s"'`,;<>\\\]})\ufdd0]{1,4096}/y;
const PARAMETERS = /[^\r\n\\\ufdd0]{1,2048}/y;
const COOKIES = /[^\r\n"'\\\ufdd0]{1,4096}/y;
/** Attributes and well-known cookies that are no secrets. */
const HARMLESS_COOKIE =
  /^(?:path|domain|expires|max-age|samesite|priority|lang|locale|theme|consent|tz|timezone)$/i;

/** Finds credentials in headers. */
export function findHeaders(scan: Scan): void {
  const { text } = scan;
  TRIGGER.lastIndex = 0;
  for (let hit = TRIGGER.exec(text); hit !== null; hit = TRIGGER.exec(text)) {
    const word = hit[0].toLowerCase();
    const after = hit.index + hit[0].length;
    scan.spend(60);
    if (word.endsWith('cookie')) TRIGGER.lastIndex = readCookies(scan, after);
    else if (word === 'authorization') TRIGGER.lastIndex = readAuthorization(scan, after);
    else readScheme(scan, hit.index, /^b(?:earer|asic)/.test(word) ? word.slice(0, 1) : '');
  }
}

function readAuthorization(scan: Scan, start: number): number {
  const { text } = scan;
  const separator = matchAt(text, start, SEPARATOR);
  if (separator === null) return start;
  const at = start + separator[0].length;
  const scheme = matchAt(text, at, SCHEME);
  const from = at + (scheme?.[0].length ?? 0);
  const value = matchAt(text, from, scheme?.[2] === undefined ? CREDENTIAL : PARAMETERS)?.[0] ?? '';
  scan.spend(value.length);
  // `authorization: failed` speaks about it; `Authorization: Bearer x` is one.
  if (value === '' || isPlaceholder(value) || (scheme === null && (isPlain(value) || value.length < 12)))
    return from;
  scan.found(from, from + value.trimEnd().length, 'authorization');
  return from + value.length;
}

/** `Bearer …` and `Basic …` without the name of a header. */
function readScheme(scan: Scan, start: number, letter: string): void {
  const { text } = scan;
  const scheme = matchAt(text, start, SCHEME);
  if (scheme === null || /\w/.test(text[start - 1] ?? '')) return;
  const from = start + scheme[0].length;
  const value = matchAt(text, from, CREDENTIAL)?.[0] ?? '';
  scan.spend(value.length);
  if (isPlaceholder(value) || isPlain(value) || value.length < 6) return;
  if (letter === 'b' && scheme[1]?.toLowerCase() === 'basic' && !decodesToPair(value)) return;
  if (letter === '' && estimateRandomness(value) === 'none') return;
  if (/[.:]$/.test(value) && isPlain(value.slice(0, -1))) return;
  scan.found(from, from + value.length, 'authorization');
}

function decodesToPair(value: string): boolean {
  return (
    /^[A-Za-z0-9+/_-]{6,}={0,2}$/.test(value) &&
    /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(value, 'base64').toString('latin1'))
  );
}

function readCookies(scan: Scan, start: number): number {
  const { text } = scan;
  const separator = matchAt(text, start, SEPARATOR);
  if (separator === null) return start;
  const at = start + separator[0].length;
  const cookies = matchAt(text, at, COOKIES)?.[0] ?? '';
  scan.spend(cookies.length);
  const pair = /([^\s=;,]{1,200})=([^;\s,]{1,4096})/g;
  for (let found = pair.exec(cookies); found !== null; found = pair.exec(cookies)) {
    const [whole, name = '', value = ''] = found;
    if (HARMLESS_COOKIE.test(name) || value.length < 4 || isPlaceholder(value)) continue;
    const end = at + found.index + whole.length;
    scan.found(end - value.length, end, 'cookie');
  }
  return at + cookies.length;
}
