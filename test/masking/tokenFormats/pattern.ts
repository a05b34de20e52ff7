// Reads the patterns of token rules (RE2 syntax) as sequences of character sets. It knows the part of the
// syntax that describes tokens; a pattern with anything else is refused.

/** One position of a token, or several of the same alphabet. */
export interface Run {
  /** The characters that can stand here. */
  characters: ReadonlySet<string>;
  /** The character as the pattern spells it, where there is only one; undefined for an alphabet. */
  literal: string | undefined;
  least: number;
  most: number;
}

/** A pattern that is no sequence of bounded runs. */
export class NoSequence extends Error {}

/** Most sequences that the alternatives of a pattern make. */
const MAX_SEQUENCES = 64;
/** What stands for an open end, such as that of `{20,}`. */
const OPEN_END = 400;
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const CLASSES: Readonly<Record<string, string>> = {
  w: `${LOWER}${UPPER}${DIGITS}_`,
  d: DIGITS,
  '[:alnum:]': `${LOWER}${UPPER}${DIGITS}`,
};

/**
 * The sequences of runs that a pattern stands for: those of its first capturing group, or of the whole
 * pattern without one.
 * @throws NoSequence for a pattern with unlimited alphabets, such as `.` and `\S`, or with too many
 * alternatives.
 */
export function sequencesOf(pattern: string): Run[][] {
  const parser = new Parser(pattern);
  const whole = parser.alternatives(false);
  const sequences = parser.captured ?? whole;
  if (sequences === undefined) throw new NoSequence('uses syntax that describes no token');
  return sequences;
}

class Parser {
  private at = 0;
  /** The sequences of the first capturing group. */
  captured: Run[][] | undefined;
  private readonly pattern: string;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  /** Alternatives up to a closing parenthesis or the end. Undefined where one of them is no sequence. */
  alternatives(ignoreCase: boolean): Run[][] | undefined {
    let all: Run[][] | undefined = [];
    let fold = ignoreCase;
    let current: Run[][] | undefined = [[]];
    const finish = (): void => {
      all = all === undefined || current === undefined ? undefined : [...all, ...current];
      current = [[]];
    };
    while (this.at < this.pattern.length && this.pattern[this.at] !== ')') {
      if (this.take('|')) {
        finish();
        continue;
      }
      const flag = /^\(\?(-?)i\)/.exec(this.rest());
      if (flag !== null) {
        this.at += flag[0].length;
        fold = flag[1] === '';
        continue;
      }
      const piece = this.quantified(fold);
      current = current === undefined || piece === undefined ? undefined : joined(current, piece);
    }
    finish();
    return all;
  }

  private quantified(fold: boolean): Run[][] | undefined {
    const atom = this.atom(fold);
    const [text = '', least = '', comma, most = ''] =
      /^\{(\d+)(,?)(\d*)\}\??/.exec(this.rest()) ?? /^[?*+]\??/.exec(this.rest()) ?? [];
    if (text === '') return atom;
    this.at += text.length;
    const limits =
      least !== ''
        ? [Number(least), comma === '' ? Number(least) : most === '' ? OPEN_END : Number(most)]
        : [text.startsWith('+') ? 1 : 0, text.startsWith('?') ? 1 : OPEN_END];
    return atom === undefined ? undefined : repeated(atom, limits[0] ?? 0, limits[1] ?? 0);
  }

  private atom(fold: boolean): Run[][] | undefined {
    if (this.pattern[this.at] === '(') return this.group(fold);
    if (this.take('[')) return this.set(fold);
    if (this.take('^') || this.take('$')) return [[]];
    if (this.take('.')) return undefined;
    if (this.take('\\')) return this.escape(fold);
    return [[single(this.next(), fold)]];
  }

  private group(fold: boolean): Run[][] | undefined {
    const [opening = '', modifier = ''] = /^\((?:\?(P<\w+>|:|-?[is]+:))?/.exec(this.rest()) ?? [];
    this.at += opening.length;
    const captures = modifier === '' || modifier.startsWith('P');
    const inner = this.alternatives(modifier.includes('i') ? !modifier.startsWith('-') : fold);
    this.take(')');
    // An inner group closes first; the last one to close around it is the whole secret.
    if (captures && inner !== undefined) this.captured = outermost(this.captured, inner);
    return inner;
  }

  private escape(fold: boolean): Run[][] | undefined {
    const letter = this.next();
    if (letter === 'b' || letter === 'z' || letter === 'B') return [[]];
    const characters = CLASSES[letter];
    if (characters !== undefined) return [[alphabet(characters, fold)]];
    return /[A-Za-z0-9]/.test(letter) ? undefined : [[single(letter, false)]];
  }

  private set(fold: boolean): Run[][] | undefined {
    const isNegated = this.take('^');
    let characters = '';
    let isWide = isNegated;
    while (this.at < this.pattern.length && !this.take(']')) {
      const named = /^\[:\w+:\]/.exec(this.rest())?.[0];
      if (named !== undefined) {
        this.at += named.length;
        characters += CLASSES[named] ?? '';
        continue;
      }
      const isEscape = this.take('\\');
      const first = this.next();
      if (isEscape && CLASSES[first] !== undefined) characters += CLASSES[first];
      else if (isEscape && /[A-Za-z]/.test(first)) isWide = true;
      else if (/^-[^\]]/.test(this.rest())) {
        this.at++;
        this.take('\\');
        characters += range(first, this.next());
      } else characters += first;
    }
    return isWide || characters === '' ? undefined : [[alphabet(characters, fold)]];
  }

  private rest(): string {
    return this.pattern.slice(this.at, this.at + 40);
  }

  private next(): string {
    return this.pattern[this.at++] ?? '';
  }

  private take(sign: string): boolean {
    if (this.pattern[this.at] !== sign) return false;
    this.at++;
    return true;
  }
}

const shortest = (sequences: readonly Run[][]): number =>
  Math.min(...sequences.map((runs) => runs.reduce((sum, { least }) => sum + least, 0)));

/** Of two capturing groups the first, unless the second is around it or the first holds next to nothing. */
function outermost(before: Run[][] | undefined, inner: Run[][]): Run[][] {
  return before === undefined || shortest(inner) > shortest(before) ? inner : before;
}

function joined(left: readonly Run[][], right: readonly Run[][]): Run[][] {
  if (left.length * right.length > MAX_SEQUENCES) throw new NoSequence('has too many alternatives');
  return left.flatMap((head) => right.map((tail) => [...head, ...tail]));
}

function repeated(atom: Run[][], least: number, most: number): Run[][] {
  const [run] = atom.length === 1 && atom[0]?.length === 1 ? atom[0] : [];
  if (run !== undefined) {
    if (least === 1 && most === 1) return atom;
    return [[{ ...run, literal: undefined, least: run.least * least, most: run.most * most }]];
  }
  if (most > 12) throw new NoSequence('repeats a group without a limit');
  const counts = [...new Set([least, most])];
  return counts.flatMap((count) => Array.from({ length: count }, () => atom).reduce<Run[][]>(joined, [[]]));
}

function single(character: string, fold: boolean): Run {
  const both = fold ? [character.toLowerCase(), character.toUpperCase()] : [character];
  return { characters: new Set(both), literal: character, least: 1, most: 1 };
}

function alphabet(characters: string, fold: boolean): Run {
  const all = fold ? characters.toLowerCase() + characters.toUpperCase() : characters;
  return { characters: new Set(all), literal: undefined, least: 1, most: 1 };
}

function range(first: string, last: string): string {
  let characters = '';
  for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++)
    characters += String.fromCharCode(code);
  return characters;
}
