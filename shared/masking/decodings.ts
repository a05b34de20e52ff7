// The texts that a text may stand for: what escapes, base64 and hexadecimal in it decode to, several levels deep.

/** How many encodings around each other are undone. */
const MAX_DEPTH = 3;
/** Decoded characters for each of the text; what needs more is no encoding of anything. */
const MAX_GROWTH = 8;
const SPARE = 100_000;

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
/** What takes no place when a text is shown, and blanks. */
const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;
/** Shorter pieces of decoded bytes stand in random data, too. */
const PRINTABLE = /[\x20-\x7e\n\t]{8,}/g;

/** The text without blanks and without what cannot be seen; signs of other widths become plain ones. */
export function withoutGaps(text: string): string {
  return text.normalize('NFKC').replace(UNSEEN, '');
}

/** What a text decodes to, without the text itself; undefined when it is too much to be looked at. */
export function decodings(text: string): string[] | undefined {
  const seen = new Set([text]);
  let level = [text];
  let room = text.length * MAX_GROWTH + SPARE;
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

function decodeOnce(text: string): string[] {
  const joined = withoutGaps(text);
  const digits = joined.replace(/[^0-9a-z]+/gi, '');
  return [
    unescaped(text),
    ...decodedRuns(text),
    ...decodedRuns(joined),
    ...hexRuns(text),
    ...hexRuns(digits),
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

/** Runs of base64, decoded from each of the places where a group of four may begin. */
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
