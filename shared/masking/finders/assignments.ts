// Secrets by the name of their key: `password=…`, `"apiKey": "…"`, `<token>…</token>`, `DB_PASS: …`,
// `--secret …`, in the notations of configuration files, programs, logs and dumps.

import { isSecret } from '../scan/assignedValue.ts';
import { findKeyMeaning, type KeyMeaning } from '../scan/keyNames.ts';
import { matchAt, type Scan } from '../scan/scan.ts';
import { estimateRandomness, isProse, isSubject } from '../scan/values.ts';
import { BARRIER } from '../scan/views.ts';

/** Every name of a secret contains a match. */
const KEYWORD =
  /pass|pwd|pw(?![a-z])|psw|token|secret|key|cred|auth|bearer|jwt|cookie|connection|connstr|dsn|database_?url|signature|\bsig\b|\bsid\b|hmac|salt|seed|mnemonic|otp|licen[sc]e|webhook|\bpat\b|private|account_?sid|kennwort|\bapi\b/gi;
const NAME_CHARACTER = /[A-Za-z0-9_.$\-\u00c0-\u024f]/;
const MAX_NAME = 100;
/** Longest value in quotes, or up to the end of a line. PEM keys and tokens of 4 kB are within. */
const MAX_VALUE = 8192;

/** Quotes and brackets that end a name: `"password"`, `['password']`, `password\":`. */
const NAME_END = /(?:\\{0,7}["'`\])]|&quot;){0,3}(?:[ \t]{0,3}\(?(?:optional|required)\)?)?/y;
/** `: string =` and ` string =`, as declarations have them. */
const TYPE =
  /[ \t]{0,8}(?::[ \t]{0,4})?(?:string|String|str|&str|&'static str|char\s?\*|text|(?:n?varchar|N?VARCHAR)(?:\(\d{1,5}\))?)(?:\[\])?[ \t]{0,8}(?==)/y;
const STRONG =
  /[ \t]{0,40}(?::{0,3}=>?|=>|==?=?|[?|]{1,2}=|[+.!]=|->|:{1,2}|\bis(?= )|\bwas(?= ))[ \t]{0,40}/y;
/** Signs that can stand between words of a sentence or of a list. */
const IN_SENTENCE = /^(?:is|was|,)$/;
const WEAK = /[ \t]{0,20}(?:,|\||\|\||\(|-|=|>)?[ \t]{0,20}/y;
/** A YAML block scalar or a JSON value on the next line. */
const NEXT_LINE = /(?:[|>][+-]?\d?[ \t]{0,20})?\r?\n[ \t]{1,200}(?=\S)/y;
const XML_TEXT = /(?:[ \t]+[\w:.-]{1,60}="[^"\n]{0,200}"){0,5}[ \t]{0,5}>\s{0,200}(?:<!\[CDATA\[)?/y;
const OPENING = /(?:[rbfuRBFULN@$]{1,2}(?=["']))?(\\{0,15}(?:"""|'''|["'`])|&quot;|&#39;)/y;
/** `value="…"` behind `name="password"`, and `value: …` below `name: PASSWORD`. */
const NAMED_VALUE =
  /\\{0,7}["']?(?:[\s,]|-(?! )){1,120}\\{0,7}["']?(?:value|Value|VALUE|val|data|default|content|secret_string)\\{0,7}["']?\s{0,20}[:=]\s{0,20}/y;

/** Finds secrets by the names of their keys. */
export function findAssignments(scan: Scan): void {
  const { text } = scan;
  let done = 0;
  KEYWORD.lastIndex = 0;
  for (let hit = KEYWORD.exec(text); hit !== null; hit = KEYWORD.exec(text)) {
    if (hit.index < done) continue;
    const name = nameAround(text, hit.index, hit[0].length, done);
    scan.spend(name.end - name.start + 60);
    done = name.end;
    KEYWORD.lastIndex = Math.max(KEYWORD.lastIndex, name.end);
    const label = withWordsBefore(text, name.start, name.end);
    const meaning = findKeyMeaning(label);
    // A word by chance, within base64.
    if (meaning === undefined || (label.length >= 24 && estimateRandomness(label) !== 'none')) continue;
    const end = readAssignedValue(scan, name, meaning);
    done = Math.max(done, end);
    KEYWORD.lastIndex = Math.max(KEYWORD.lastIndex, done);
  }
}

interface Range {
  /** UTF-16 offset of the first character. */
  start: number;
  /** UTF-16 offset after the last character. */
  end: number;
}

function nameAround(text: string, index: number, length: number, floor: number): Range {
  let start = index;
  while (start > floor && index - start < MAX_NAME && NAME_CHARACTER.test(text[start - 1] ?? '')) start--;
  let end = index + length;
  while (end < text.length && end - start < MAX_NAME && NAME_CHARACTER.test(text[end] ?? '')) end++;
  // `key.` at the end of a sentence, `Key-` before a value.
  while (end > index + length && /[.$-]/.test(text[end - 1] ?? '')) end--;
  while (start < index && /[.$-]/.test(text[start] ?? '')) start++;
  return { start, end };
}

const WORD_BEFORE =
  /(?:api|access|secret|private|auth|client|account|signing|encryption|license|service|master|shared|app|consumer|integration|storage|subscription|admin|webhook|ssh|deploy)[ _-]$/i;

/** `API Key`, `client secret`, `SSH private key`, `public key`: the words before belong to the name. */
function withWordsBefore(text: string, start: number, end: number): string {
  const name = text.slice(start, end);
  const before = text.slice(Math.max(0, start - 24), start);
  const word = WORD_BEFORE.exec(before) ?? (/^key$/i.test(name) ? /[A-Za-z]{2,20} $/.exec(before) : null);
  return `${word?.[0] ?? ''}${name}`;
}

/** Reads the value behind a name and reports it if it is a secret. Returns where the search continues. */
function readAssignedValue(scan: Scan, name: Range, meaning: KeyMeaning): number {
  const { text } = scan;
  let at = name.end;
  if (
    text[name.start - 1] === '<' ||
    (text[name.start - 1] === ':' && /<\w{1,30}:$/.test(text.slice(Math.max(0, name.start - 32), name.start)))
  ) {
    const xml = matchAt(text, at, XML_TEXT);
    if (xml !== null) return readXml(scan, at + xml[0].length, meaning);
  }
  at += matchAt(text, at, NAME_END)?.[0].length ?? 0;
  at += matchAt(text, at, TYPE)?.[0].length ?? 0;
  const named = matchAt(text, name.end, NAMED_VALUE);
  const isFlag =
    /(?:^|[\s"'`[,=])--?$/.test(text.slice(Math.max(0, name.start - 3), name.start)) ||
    text.slice(name.start, name.start + 2) === '--';
  let strong = matchAt(text, at, STRONG);
  if (named !== null) {
    at = name.end + named[0].length;
  } else if (strong !== null) {
    at += strong[0].length;
  } else {
    const weak = matchAt(text, at, WEAK)?.[0] ?? '';
    if ((isFlag && /^ +$/.test(weak)) || (/^[ \t]+$/.test(weak) && isDirective(text, name.start)))
      strong = matchAt(text, at, /[ \t]{0,8}/y);
    // `setProperty("DB_TOKEN", "…")`, `dbToken,…`
    else if (/^,/.test(weak) && isCompound(text.slice(name.start, name.end)))
      strong = matchAt(text, at, /[ \t]{0,20},/y);
    // `["--token", "…"]`
    else if (isFlag && /^, ?$/.test(weak)) strong = matchAt(text, at, /, ?/y);
    at += weak.length;
    if (strong === null && weak === '') return name.end;
  }
  const list = strong !== null && meaning.kind === 'password' ? matchAt(text, at, LIST) : null;
  if (list !== null) return readList(scan, at, list[0], meaning);
  const next = strong === null && named === null ? null : matchAt(text, at, NEXT_LINE);
  const isBlock = next !== null && /^[|>]/.test(next[0]);
  if (next !== null) at += next[0].length;
  const opening = matchAt(text, at, OPENING);
  if (opening?.[1] !== undefined) {
    // A mapping of JSON on the next line is no value of this key; a quoted string is one.
    return readQuoted(scan, at + opening[0].length, opening[1], meaning, {
      assigned: strong !== null || named !== null,
      inSentence: IN_SENTENCE.test(strong?.[0].trim() ?? ''),
      inList: strong?.[0].trim() === ',',
    });
  }
  // `secrets:` of YAML, above keys and lists.
  if (next !== null && !isBlock && /^[ \t]*(?:-|["']?[\w.-]+["']?:(?:\s|$))/.test(text.slice(at, at + 80)))
    return at;
  const sign = strong?.[0].trim() ?? '';
  return readUnquoted(scan, name, at, meaning, strong !== null || named !== null, sign);
}

/** A list of texts: in brackets, or below each other in YAML. */
const LIST =
  /\[(?:\s{0,40}\\{0,7}["']?[^\s"'[\]{},]{1,200}\\{0,7}["']?\s{0,40},?){1,50}\]|(?:\r?\n[ \t]{0,80}-[ \t]{1,8}["']?[^\s"':{[\]},]{1,200}["']?[ \t]*(?=\r?\n|$)){1,50}/y;

/** Reports the texts of a list of passwords. */
function readList(scan: Scan, at: number, list: string, meaning: KeyMeaning): number {
  scan.spend(list.length);
  for (const { index, 0: value } of list.matchAll(/[^\s"'[\],\\]{4,200}/g))
    if (isSecret(value, meaning, { quoted: true }))
      scan.found(at + index, at + index + value.length, meaning.kind);
  return at + list.length;
}

function readXml(scan: Scan, start: number, meaning: KeyMeaning): number {
  const { text } = scan;
  const limit = text.slice(start, start + MAX_VALUE);
  const close = limit.indexOf('<');
  const end = start + (close < 0 ? limit.length : close);
  scan.spend(end - start);
  const value = text
    .slice(start, end)
    .replace(/\]\]>$/, '')
    .trimEnd();
  if (text.startsWith('</', end) && isSecret(value, meaning, { quoted: true }))
    scan.found(start, start + value.length, meaning.kind);
  return close < 0 ? start : end;
}

function readQuoted(
  scan: Scan,
  start: number,
  quote: string,
  meaning: KeyMeaning,
  { assigned, inSentence, inList }: { assigned: boolean; inSentence: boolean; inList: boolean },
): number {
  const { text } = scan;
  const end = closingQuote(text, start, quote);
  scan.spend(end - start + 1);
  const value = text.slice(start, end);
  // `"name":"DB_PASSWORD","valueFrom":{`: the next key.
  if (inList && /^\\{0,7}["'`]\s{0,4}:/.test(text.slice(end, end + 16))) return start;
  // The end of a quotation: `password=`.
  if (quote.endsWith('`') && value.includes('\n')) return start;
  if (!assigned && !isSureWithoutSign(value, meaning)) return start;
  if (!isSecret(value, meaning, { quoted: true, inSentence })) return start;
  scan.found(start, end, meaning.kind);
  return end;
}

/** Text behind a doubled quote that belongs to the value. */
const CONTINUED = /[^\s'",;:)}\]]/;

/** The end of a value in quotes: the next quote of its kind, or the end of the line. */
function closingQuote(text: string, start: number, quote: string): number {
  const window = text.slice(start, start + MAX_VALUE);
  const long = quote.endsWith('"""') || quote.endsWith("'''");
  const depth = quote.length - quote.replace(/^\\+/, '').length;
  const sign = quote.slice(depth);
  for (let index = window.indexOf(sign); index >= 0; index = window.indexOf(sign, index + sign.length)) {
    const at = start + index;
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\' && backslashes < 32) backslashes++;
    // A quote inside a value of YAML, SQL or a connection string.
    if (depth === 0 && text[at + 1] === sign && CONTINUED.test(text[at + 2] ?? '')) {
      index += 1;
      continue;
    }
    // An even number of backslashes escapes itself.
    if (backslashes <= depth || (depth === 0 && backslashes % 2 === 0))
      return at - Math.min(backslashes, depth);
  }
  const line = window.search(long ? /$/ : /\r?\n|$/);
  return start + line;
}

const UNQUOTED_LIMIT = 4096;
/** Longest key that is recognised only by its randomness. */
const UNSURE_LIMIT = 300;
/** The end of a value without quotes. */
const STOP = new RegExp(`[\\s"'\`<>${BARRIER}]|\\\\[nrt"']|&(?:quot|lt|gt|amp|#39);`, 'g');
/** Ends a value only if something else starts behind it: a field, the end of a list, a sentence. */
const SOFT_STOP = /[,;|)}\]&](?=$|[\s"'`\\)}\],;]|[\w.-]{1,40}[=:])|[.!?]$/g;

function readUnquoted(
  scan: Scan,
  name: Range,
  from: number,
  meaning: KeyMeaning,
  assigned: boolean,
  sign: string,
): number {
  const { text } = scan;
  const colon = sign === ':';
  // Text directly behind a mark is the rest of the value.
  let start = from;
  while (text[start] === BARRIER) start++;
  const comma = text[start - 1] === ',';
  const limited = text.slice(start, start + (meaning.sure && assigned ? UNQUOTED_LIMIT : UNSURE_LIMIT));
  const window = comma ? (/^[^,;]*/.exec(limited)?.[0] ?? '') : limited;
  STOP.lastIndex = 0;
  const stop = STOP.exec(window)?.index ?? window.length;
  // Backslashes before an escaped line break or quote belong to it.
  let value = window.slice(0, stop).replace(/\\+$/, '');
  scan.spend(stop + 1);
  SOFT_STOP.lastIndex = 0;
  value = value.slice(0, SOFT_STOP.exec(value)?.index ?? value.length);
  if (text[start - 1] === BARRIER && !/[\p{L}\p{N}]/u.test(value)) return start;
  if (value === '') return start;
  if (!assigned && !(isSureWithoutSign(value, meaning) && estimateRandomness(value) !== 'none')) return start;
  if (!assigned && isSubject(value, text.slice(start + value.length, start + value.length + 20)))
    return start;
  // `Bearer x` is for the headers.
  if (/^(?:Bearer|Basic|Digest|Token|Bot|ApiKey|Negotiate|AWS4-HMAC-SHA256)$/i.test(value)) return start;
  // `arn:aws:secretsmanager:eu-west-1:1:secret:db`
  if (colon && /[:/]/.test(text[name.start - 1] ?? '')) return start;
  if (comma && (value.length < 10 || !/\d/.test(value) || !/[a-z]/i.test(value))) return start;
  if (
    colon &&
    (isProse(value) ||
      (/^\d+$/.test(value) && /^ bytes\b/.test(text.slice(start + value.length, start + value.length + 7))))
  )
    return start;
  if (assigned && !colon && isProse(value) && text[name.end] === ' ') return start;
  // Tests pass, and so do hours.
  if (/^pass$/i.test(text.slice(name.start, name.end)) && /^[a-z]+$/.test(value)) return start;
  // A value that is not random as a whole is not random in its parts, such as `key=key=`.
  const inSentence = IN_SENTENCE.test(sign) || (colon && followsWord(text, name.start, start));
  if (!isSecret(value, meaning, { quoted: false, inSentence }))
    return meaning.sure ? start : start + value.length;
  let end = start + value.length;
  if ((meaning.kind === 'password' || meaning.plain === 'any') && colon && atLineStart(text, name.start))
    end = restOfLine(text, start, end);
  scan.found(start, end, meaning.kind);
  return end;
}

/** Words before a variable's name and value with a blank between: Dockerfiles, shells, servers, LDAP. */
const DIRECTIVE =
  /(?:^|[\s>"'])(?:ENV|ARG|setenv|setx|set -(?:[gUx]{1,4}|-\w{1,9})|SetEnv|(?:fastcgi|uwsgi|scgi)_param|Set-Variable|config(?:ure)?[ \t]set)[ \t]{1,8}$/i;
const isDirective = (text: string, name: number): boolean =>
  DIRECTIVE.test(text.slice(Math.max(0, name - 32), name));

/** `DB_TOKEN`, `dbToken`: a name that is no word of a sentence. */
const isCompound = (name: string): boolean => /[A-Za-z]_[A-Za-z]|[a-z][A-Z]/.test(name);

/** `unexpected token: name`: a name behind a word of a sentence. `{Name:shop Token:abc}` is none. */
function followsWord(text: string, name: number, value: number): boolean {
  if (!/\s/.test(text[value - 1] ?? '')) return false;
  const before = text.slice(Math.max(0, name - 40), name);
  return /[a-z],? $/.test(before.replace(WORD_BEFORE, ''));
}

/** Whether only blanks, a dash or quotes stand before a name on its line. */
function atLineStart(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 60), start);
  return /(?:^|\n)[ \t]*(?:- )?["']?$/.test(before) && (before.includes('\n') || start <= 60);
}

/** The other words of a YAML value; a comment is none. */
function restOfLine(text: string, start: number, end: number): number {
  const line = /^[^\n\r]{0,400}/.exec(text.slice(start))?.[0] ?? '';
  const words = line.replace(/\s+#.*$/, '').trimEnd();
  const isSentence = /\s[\w.-]+[=:]|[,;"'<>{}|]|\s\S+\s\S+\s\S+\s\S+/.test(words) || words.includes(BARRIER);
  return isSentence ? end : start + words.length;
}

/** Whether a value directly behind a name (`token "…"`) is a secret: only if it cannot be a name. */
function isSureWithoutSign(value: string, { kind, sure }: KeyMeaning): boolean {
  if (!sure && kind !== 'key') return false;
  const found = estimateRandomness(value);
  return (
    found === 'random' ||
    (sure && found !== 'none') ||
    (kind === 'password' &&
      value.length >= 6 &&
      /\d/.test(value) &&
      /[^\w.-]|[A-Z]/.test(value) &&
      !/\s/.test(value))
  );
}
