// Reads durations (`120s`, `40m`) and sizes (`64KB`, `1MiB`) in YAML. A number without a unit is refused,
// because a reader cannot see whether it means seconds or milliseconds.

/** A number in the base unit, or the fault of the text. */
export type Quantity = { ok: true; value: number } | { ok: false; message: string };

const MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** KB is 1000 bytes and KiB 1024 (IEC 80000-13). */
const BYTES: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KB', 1000],
  ['KiB', 1024],
  ['MB', 1_000_000],
  ['MiB', 1_048_576],
]);

/**
 * Sizes of model input can also be given in tokens. One token counts as four bytes of UTF-8, the providers'
 * figure for English text. Tool output, with its ids and numbers, has up to twice as many tokens.
 */
const BYTES_OF_TOKEN = 4;
const SHOWN_BYTES: ReadonlyMap<string, number> = new Map([...BYTES, ['tokens', BYTES_OF_TOKEN]]);

/** The milliseconds of a duration such as `500ms`, `120s`, `1.5h` or `30d`, rounded, above zero. */
export function parseDuration(text: string): Quantity {
  return parseQuantity(text, MILLISECONDS, 'a duration', '120s');
}

/** The bytes of a size such as `512B`, `64KB` or `1MiB`, rounded to a whole number above zero. */
export function parseSize(text: string): Quantity {
  return parseQuantity(text, BYTES, 'a size', '64KB');
}

/** The bytes of a size such as `64KB`, or of a number of tokens such as `16000 tokens`. */
export function parseShownSize(text: string): Quantity {
  return parseQuantity(text, SHOWN_BYTES, 'a size', '64KB or 16000 tokens');
}

function parseQuantity(
  text: string,
  units: ReadonlyMap<string, number>,
  what: string,
  example: string,
): Quantity {
  const [, digits, unit] = /^(\d{1,15}(?:\.\d{1,6})?) ?([A-Za-z]+)$/.exec(text.trim()) ?? [];
  const factor = units.get(unit ?? '');
  if (digits === undefined || factor === undefined) {
    const known = [...units.keys()].join(', ');
    return { ok: false, message: `must be ${what} such as ${example}: a number and one of ${known}` };
  }
  const value = Math.round(Number(digits) * factor);
  if (value <= 0) return { ok: false, message: `must be ${what} above zero` };
  if (!Number.isSafeInteger(value)) return { ok: false, message: 'is too large' };
  return { ok: true, value };
}
