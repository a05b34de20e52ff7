// Decodes a text in all ways that a reader could: escapes, base64, base32, hexadecimal and other codes of
// characters, several levels deep.

/** How many encodings around each other are undone. */
const MAX_DEPTH = 3;
/** Decoded characters per character of the text; a text that decodes to more is no real encoding. */
const MAX_GROWTH = 8;
const EXTRA_ROOM = 100_000;

const BASE64 = /[A-Za-z0-9+/_-]{16,}/g;
const HEX = /[0-9a-f]{24,}/gi;
const ESCAPES =
  /((?:%[0-9a-f]{2})+)|\\u\{?([0-9a-f]{2,6})\}?|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#([0-9]{1,7});|&(quot|apos|amp|lt|gt|lsqb|lbrack|rsqb|rbrack|colon|num|sol);/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  amp: '&',
  lt: '<',
  gt: '>',
  lsqb: '[',
  lbrack: '[',
  rsqb: ']',
  rbrack: ']',
  colon: ':',
  num: '#',
  sol: '/',
};
/** Blanks, and characters that are invisible when a text is shown. */
const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;
/** Shorter pieces of decoded bytes stand in random data, too. */
const PRINTABLE = /[\x20-\x7e\n\t]{8,}/g;

/** Visible characters of ASCII, which are never changed. */
const VISIBLE = /^[!-~]*$/;

/** The text without blanks and invisible characters; characters of other widths become plain ones. */
export function withoutGaps(text: string): string {
  if (VISIBLE.test(text)) return text;
  return text.normalize('NFKC').replace(UNSEEN, '');
}

/** All decodings of a text, without the text itself; undefined when they are too large to be examined. */
export function listDecodings(text: string): string[] | undefined {
  const seen = new Set([text]);
  let level = [text];
  let room = text.length * MAX_GROWTH + EXTRA_ROOM;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next = level.flatMap(decodeOnce).filter((decoded) => decoded !== '' && !seen.has(decoded));
    level = [...new Set(next)];
    for (const decoded of level) {
      seen.add(decoded);
      room -= decoded.length;
    }
    if (room < 0) return undefined;
  }
  seen.delete(text);
  return [...seen];
}

/** Characters of Unicode's tag block, which stand for those of ASCII and are not shown. */
const TAGS = /[\u{e0020}-\u{e007e}]+/gu;
const BASE32 = /[a-z2-7]{16,}/gi;
/** Codes of characters, apart from each other: `97, 98`, `0o141 0o142`, `\\141\\142`, `01100001 01100010`. */
const CODES = /(?:(?:0[ob]|[\\&#x])?[0-9]{2,8}[^0-9A-Za-z]{1,4}(?:0[ob])?){7,}[0-9]{2,8}/gi;

/** Codes of characters without anything between, as in `141142`. */
const BINARY = /[01]{64,}/g;
const OCTAL = /[0-7]{36,}/g;

/** Texts in characters of the tag block, in base32, and in decimal, octal and binary codes. */
function otherCodes(text: string, joined: string, digits: string): string[] {
  const tags = (text.match(TAGS) ?? []).map((run) =>
    [...run].map((one) => String.fromCodePoint((one.codePointAt(0) ?? 0) - 0xe0000)).join(''),
  );
  const codes = text.match(CODES) ?? [];
  return [
    tags.join('\n'),
    ...fromEachOffset(joined.match(BASE32), 8, base32Bytes),
    ...[10, 8, 2].map((base) => codes.map((run) => fromCodes(run, base)).join('\n')),
    ...fromEachOffset(digits.match(BINARY), 8, (run) => decodeDigits(run, 8, 2)),
    ...fromEachOffset(digits.match(OCTAL), 3, (run) => decodeDigits(run, 3, 8)),
  ].filter((decoded) => decoded.length >= 8);
}

/** Decodes runs from each of the `offsets` places where a group of their characters can start. */
function fromEachOffset(
  runs: readonly string[] | null,
  offsets: number,
  decode: (run: string) => Buffer,
): string[] {
  if (runs === null) return [];
  return Array.from({ length: offsets }, (_, offset) =>
    printableText(runs.map((run) => decode(run.slice(offset)))),
  );
}

function fromCodes(run: string, base: number): string {
  const codes = run.replace(/0[ob]/gi, '').match(/[0-9]+/g) ?? [];
  const values = codes.map((code) => Number.parseInt(code, base));
  return values.every((code) => code >= 0x20 && code < 0x110000)
    ? String.fromCodePoint(...values.slice(0, 5000))
    : '';
}

const decodeDigits = (digits: string, width: number, base: number): Buffer =>
  Buffer.from(
    (digits.match(new RegExp(`.{${width}}`, 'g')) ?? []).map((code) => Number.parseInt(code, base) & 255),
  );

function base32Bytes(run: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (let index = 0; index < run.length; index++) {
    const code = run.charCodeAt(index);
    // The letters stand for 0 to 25, in both cases; the digits 2 to 7 for 26 to 31.
    value = ((value << 5) | (code < 0x3a ? code - 0x18 : (code | 0x20) - 0x61)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 255);
    }
  }
  return Buffer.from(bytes);
}

/** A text that is too short for any run of encoded characters, so that only escapes are left. */
const SHORT = /^[ -~\t\n]{0,15}$/;

function decodeOnce(text: string): string[] {
  if (SHORT.test(text)) return [unescapeText(text)];
  const joined = withoutGaps(text);
  const digits = joined.replace(/[^0-9a-z]+/gi, '');
  return [
    unescapeText(text),
    ...base64Runs(text),
    ...(joined === text ? [] : base64Runs(joined)),
    ...hexRuns(text),
    ...hexRuns(digits),
    ...otherCodes(text, joined, digits),
  ];
}

/** Empty when the text holds no escapes. */
function unescapeText(text: string): string {
  const decoded = text.replace(ESCAPES, (match, percents, unicode, byte, entityHex, entity, name) => {
    if (percents !== undefined) return Buffer.from(percents.replaceAll('%', ''), 'hex').toString('utf8');
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? match;
    const hex = unicode ?? byte ?? entityHex;
    const code = hex === undefined ? Number(entity) : Number.parseInt(hex, 16);
    return code > 0x10ffff ? match : String.fromCodePoint(code);
  });
  return decoded === text ? '' : decoded;
}

const base64Runs = (text: string): string[] =>
  fromEachOffset(text.match(BASE64), 4, (run) => Buffer.from(run, 'base64'));

const hexRuns = (text: string): string[] =>
  fromEachOffset(text.match(HEX), 2, (run) => Buffer.from(run, 'hex'));

/** The readable pieces of bytes. Zero bytes between them are those of UTF-16. */
function printableText(pieces: readonly Buffer[]): string {
  return pieces
    .flatMap((bytes) => bytes.toString('latin1').replaceAll('\0', '').match(PRINTABLE) ?? [])
    .join('\n');
}
