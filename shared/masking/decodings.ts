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

/** The text without blanks and invisible characters; characters of other widths become plain ones. */
export function withoutGaps(text: string): string {
  return text.normalize('NFKC').replace(UNSEEN, '');
}

/** All decodings of a text, without the text itself; undefined when they are too large to be examined. */
export function decodings(text: string): string[] | undefined {
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

/** Texts in characters of the tag block, in base32, and in decimal, octal and binary codes. */
function otherCodes(text: string, joined: string): string[] {
  const tags = (text.match(TAGS) ?? []).map((run) =>
    [...run].map((one) => String.fromCodePoint((one.codePointAt(0) ?? 0) - 0xe0000)).join(''),
  );
  const codes = text.match(CODES) ?? [];
  const bits = joined.replace(/[^0-9a-z]+/gi, '').match(/[01]{64,}/g) ?? [];
  return [
    tags.join('\n'),
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((offset) => printable(base32Runs(joined, offset))),
    ...[10, 8, 2].map((base) => codes.map((run) => fromCodes(run, base)).join('\n')),
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((offset) =>
      printable(bits.map((run) => bytesOf(run.slice(offset), 8, 2))),
    ),
    ...[0, 1, 2].map((offset) => printable(digitRuns(joined, offset))),
  ].filter((decoded) => decoded.length >= 8);
}

/** `141142`: octal codes without anything between. */
const digitRuns = (text: string, offset: number): Buffer[] =>
  (text.replace(/[^0-9a-z]+/gi, '').match(/[0-7]{36,}/g) ?? []).map((run) =>
    bytesOf(run.slice(offset), 3, 8),
  );

function fromCodes(run: string, base: number): string {
  const codes = run.replace(/0[ob]/gi, '').match(/[0-9]+/g) ?? [];
  const values = codes.map((code) => Number.parseInt(code, base));
  return values.every((code) => code >= 0x20 && code < 0x110000)
    ? String.fromCodePoint(...values.slice(0, 5000))
    : '';
}

const bytesOf = (digits: string, width: number, base: number): Buffer =>
  Buffer.from(
    (digits.match(new RegExp(`.{${width}}`, 'g')) ?? []).map((code) => Number.parseInt(code, base) & 255),
  );

const BASE32_LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** Runs of base32, decoded from each of the places where a group of eight can start. */
function base32Runs(text: string, offset: number): Buffer[] {
  return (text.match(BASE32) ?? []).map((run) => {
    const bytes: number[] = [];
    let bits = 0;
    let value = 0;
    for (const letter of run.slice(offset).toLowerCase()) {
      value = ((value << 5) | BASE32_LETTERS.indexOf(letter)) & 0xfff;
      bits += 5;
      if (bits >= 8) {
        bits -= 8;
        bytes.push((value >> bits) & 255);
      }
    }
    return Buffer.from(bytes);
  });
}

function decodeOnce(text: string): string[] {
  const joined = withoutGaps(text);
  const digits = joined.replace(/[^0-9a-z]+/gi, '');
  return [
    unescaped(text),
    ...decodedRuns(text),
    ...decodedRuns(joined),
    ...hexRuns(text),
    ...hexRuns(digits),
    ...otherCodes(text, joined),
  ];
}

/** Empty when the text holds no escapes. */
function unescaped(text: string): string {
  const decoded = text.replace(ESCAPES, (match, percents, unicode, byte, entityHex, entity, name) => {
    if (percents !== undefined) return Buffer.from(percents.replaceAll('%', ''), 'hex').toString('utf8');
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? match;
    const hex = unicode ?? byte ?? entityHex;
    const code = hex === undefined ? Number(entity) : Number.parseInt(hex, 16);
    return code > 0x10ffff ? match : String.fromCodePoint(code);
  });
  return decoded === text ? '' : decoded;
}

/** Runs of base64, decoded from each place where a group of four can start. */
function decodedRuns(text: string): string[] {
  const runs = text.match(BASE64) ?? [];
  return [0, 1, 2, 3].map((offset) => printable(runs.map((run) => Buffer.from(run.slice(offset), 'base64'))));
}

function hexRuns(text: string): string[] {
  const runs = text.match(HEX) ?? [];
  return [0, 1].map((offset) => printable(runs.map((run) => Buffer.from(run.slice(offset), 'hex'))));
}

/** The readable pieces of bytes. Zero bytes between them are those of UTF-16. */
function printable(pieces: readonly Buffer[]): string {
  return pieces
    .flatMap((bytes) => bytes.toString('latin1').replaceAll('\0', '').match(PRINTABLE) ?? [])
    .join('\n');
}
