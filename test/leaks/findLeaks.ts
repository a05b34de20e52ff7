// Looks for planted secrets in what came out: as they are, in everything that can be decoded, and in pieces.

/** From this length on a piece of a secret counts as a leak. */
const FRAGMENT_LENGTH = 12;

/** A secret to look for. */
export interface Wanted<T> {
  raw: string;
  of: T;
}

/** A secret that was found. */
interface Found<T> {
  of: T;
  /** The text in which it, or a piece of it, stands, with what is beside it. */
  excerpt: string;
}

const BESIDE = 40;
const MIN_RUN = 16;

/** Finds pieces of many secrets at once. */
export interface LeakFinder<T> {
  /** Every secret of which `value`, any tree of texts, holds a piece; each once. */
  find(value: unknown): Found<T>[];
}

/** A finder of the secrets. What has been looked through once is not looked through again. */
export function createLeakFinder<T>(secrets: readonly Wanted<T>[]): LeakFinder<T> {
  const pieces = new Map<string, T>();
  for (const { raw, of } of secrets) {
    const length = Math.min(FRAGMENT_LENGTH, raw.length);
    for (let at = 0; at + length <= raw.length; at++) pieces.set(raw.slice(at, at + length), of);
  }
  const lengths = [...new Set([...pieces.keys()].map(({ length }) => length))];
  const first = new Set([...pieces.keys()].map((piece) => piece.slice(0, 3)));
  const clean = new Set<string>();

  const search = (text: string, found: Map<T, string>): void => {
    for (let at = 0; at + 3 <= text.length; at++) {
      if (!first.has(text.slice(at, at + 3))) continue;
      for (const length of lengths) {
        const of = pieces.get(text.slice(at, at + length));
        if (of !== undefined && !found.has(of)) {
          found.set(of, text.slice(Math.max(0, at - BESIDE), at + length + BESIDE));
        }
      }
    }
  };
  return {
    find(value) {
      const found = new Map<T, string>();
      for (const text of textsIn(value)) {
        if (clean.has(text)) continue;
        const before = found.size;
        for (const reading of readings(text)) search(reading, found);
        if (found.size === before) clean.add(text);
      }
      return [...found].map(([of, excerpt]) => ({ of, excerpt }));
    },
  };
}

/** Every text in a tree, keys included. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (value instanceof Uint8Array) yield Buffer.from(value).toString('utf8');
  else if (Array.isArray(value)) for (const entry of value) yield* textsIn(entry);
  else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    for (const [key, entry] of Object.entries(value)) {
      yield key;
      yield* textsIn(entry);
    }
  }
}

/** What a reader could make of a text. */
function readings(text: string): Set<string> {
  const all = new Set([text]);
  const seen = visiblePart(text);
  for (const plain of [seen, seen.replace(/\s*\n\s*/g, '')]) {
    all.add(plain);
    for (const decode of [unescapeUrl, unescapeForm, unescapeJson, unescapeHtml]) {
      let current = plain;
      for (let times = 0; times < 3; times++) {
        const next = decode(current);
        if (next === current) break;
        all.add(next);
        all.add(next.replace(/\s*\n\s*/g, ''));
        current = next;
      }
    }
  }
  for (const reading of [...all]) for (const decoded of decodedRuns(reading)) all.add(decoded);
  return all;
}

function visiblePart(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  return text.replace(/\u200b|\ufffd|\u001b?\[\d+m/g, '');
}

function unescapeUrl(text: string): string {
  if (!/%[0-9a-f]{2}/i.test(text)) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
    Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

function unescapeForm(text: string): string {
  return /%[0-9a-f]{2}/i.test(text) ? unescapeUrl(text.replaceAll('+', ' ')) : text;
}

function unescapeJson(text: string): string {
  if (!text.includes('\\')) return text;
  const codes: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gis, (_, code: string | undefined, sign: string) =>
    code === undefined ? (codes[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function unescapeHtml(text: string): string {
  if (!text.includes('&')) return text;
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replace(
    /&(?:#(\d{1,5})|(amp|lt|gt|quot|apos));/g,
    (_, code: string | undefined, name: string) =>
      code === undefined ? (names[name] ?? '') : String.fromCharCode(Number(code)),
  );
}

function* decodedRuns(text: string): Generator<string> {
  for (const [run] of text.matchAll(/[A-Za-z0-9+/_-]{16,}/g)) {
    for (let skip = 0; skip < 4; skip++) yield Buffer.from(run.slice(skip), 'base64').toString('utf8');
  }
  for (const [run] of text.matchAll(/(?:[0-9a-f]{2}){16,}/gi)) {
    if (run.length >= MIN_RUN) yield Buffer.from(run, 'hex').toString('utf8');
  }
}
