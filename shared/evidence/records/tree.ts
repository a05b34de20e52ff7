// Reads JSON, and the plain YAML that kubectl prints, into values with their places in the text. Anything
// else is refused: aliases, tags, comments, flow collections, several documents, and keys that stand twice.

type Scalar = string | number | boolean | null;

/** A value with its place, in UTF-16 units. */
export interface TreeNode {
  value: Scalar | ReadonlyMap<string, TreeNode> | readonly TreeNode[];
  start: number;
  end: number;
  /** Set where the text ends within it. */
  isCut?: boolean;
}

/** The value under keys; undefined where there is none. */
export const nodeAt = (node: TreeNode | undefined, ...keys: string[]): TreeNode | undefined =>
  keys.reduce((at, key) => (at?.value instanceof Map ? at.value.get(key) : undefined), node);

/** The items of a list; none for any other value. */
export const listTreeItems = (node: TreeNode | undefined): readonly TreeNode[] =>
  Array.isArray(node?.value) ? node.value : [];

/** The text under keys; undefined for any other value. */
export function textAt(node: TreeNode | undefined, ...keys: string[]): string | undefined {
  const value = nodeAt(node, ...keys)?.value;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const MAX_DEPTH = 60;
class Unreadable extends Error {}

function check(isReadable: unknown): asserts isReadable {
  if (!isReadable) throw new Unreadable();
}

/** The value of a text. @returns undefined for one that cannot be read. */
export function readTree(text: string): TreeNode | undefined {
  try {
    return /^\s*[[{]/.test(text) ? parseJsonTree(text) : parseYamlTree(text);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** The place behind the quote that ends a text in quotes. */
function endOfQuoted(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at++;
    else if (text[at] === quote && quote === "'" && text[at + 1] === quote) at++;
    else if (text[at] === quote) return at + 1;
  }
  throw new Unreadable();
}

const JSON_WORD = /[-+\w.]*/y;

/** Reads JSON. Of the outermost list of a text that ends early, the whole items. */
function parseJsonTree(text: string): TreeNode {
  let at = 0;
  let isCut = false;
  const skipSpace = (): void => {
    while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++;
  };
  const isNext = (sign: string): boolean => {
    skipSpace();
    if (text[at] !== sign) return false;
    at++;
    return true;
  };
  const readLiteral = (): Scalar => {
    const start = at;
    if (text[at] === '"') at = endOfQuoted(text, at);
    else {
      JSON_WORD.lastIndex = at;
      at += JSON_WORD.exec(text)?.[0].length ?? 0;
    }
    try {
      return JSON.parse(text.slice(start, at)) as Scalar;
    } catch {
      throw new Unreadable();
    }
  };
  const readList = (depth: number, isOutermost: boolean): TreeNode[] => {
    const items: TreeNode[] = [];
    if (isNext(']')) return items;
    try {
      do items.push(readValue(depth, false));
      while (isNext(','));
      check(isNext(']'));
    } catch (error) {
      if (!isOutermost || !(error instanceof Unreadable)) throw error;
      isCut = true;
    }
    return items;
  };
  const readMap = (depth: number, isOutermost: boolean): Map<string, TreeNode> => {
    const entries = new Map<string, TreeNode>();
    if (isNext('}')) return entries;
    do {
      skipSpace();
      const key = readLiteral();
      check(typeof key === 'string' && !entries.has(key) && isNext(':'));
      entries.set(key, readValue(depth, isOutermost));
      if (isCut) return entries;
    } while (isNext(','));
    check(isNext('}'));
    return entries;
  };
  const readValue = (depth: number, isOutermost: boolean): TreeNode => {
    check(depth < MAX_DEPTH);
    skipSpace();
    const start = at;
    if (isNext('{') || isNext('[')) {
      const value = text[start] === '{' ? readMap(depth + 1, isOutermost) : readList(depth + 1, isOutermost);
      return { value, start, end: at, ...(isCut && { isCut }) };
    }
    const value = readLiteral();
    const quote = text[start] === '"' ? 1 : 0;
    return { value, start: start + quote, end: at - quote };
  };
  const root = readValue(0, true);
  skipSpace();
  check(isCut || at === text.length);
  return root;
}

const KEY = /(?:"[^"\\\n]*"|'[^'\n]*'|(?:[^\s"'#&*!%@`|>{}[\],?:-]|-(?! ))[^\n]*?):(?= |\n|$)/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const WORDS: Readonly<Record<string, Scalar>> = { true: true, false: false, null: null };

/** Reads YAML of blocks with indentation. Deeper lines behind a scalar belong to it. */
function parseYamlTree(text: string): TreeNode {
  const lines = splitTreeLines(text);
  let at = 0;
  const lineAt = (index: number) => {
    const line = lines[index];
    check(line);
    return line;
  };
  const isBlank = (line: { content: number; end: number }): boolean => line.content === line.end;
  /** The next line with content; undefined at the end. */
  const next = () => {
    while (at < lines.length && isBlank(lineAt(at))) at++;
    return lines[at];
  };
  const isItem = (place: number): boolean => text.startsWith('- ', place);

  /** The value behind a key or a dash in the column `indent`, on the current line. */
  const readBehind = (from: number, indent: number, depth: number): TreeNode => {
    let start = from;
    while (text[start] === ' ') start++;
    if (start < lineAt(at).end) return readScalar(start, indent);
    at++;
    const line = next();
    // A list can stand in the column of its key.
    const isInside = line && (line.indent > indent || (line.indent === indent && isItem(line.content)));
    return isInside ? readBlock(line.content, line.indent, depth + 1) : { value: null, start, end: start };
  };

  const readScalar = (start: number, indent: number): TreeNode => {
    const line = lineAt(at);
    const rest = text.slice(start, line.end);
    let end = line.end;
    const isQuoted = rest.startsWith('"') || rest.startsWith("'");
    if (isQuoted) end = endOfQuoted(text, start);
    for (at++; at < lines.length; at++) {
      const { content, indent: own, end: last, start: first } = lineAt(at);
      const isInside = isQuoted ? first < end : own > indent || content === last;
      if (!isInside) break;
      check(!isQuoted || own > indent || content === last);
      if (!isQuoted && content !== last) end = last;
    }
    if (isQuoted) {
      check(lineAt(at - 1).end === end);
      // Escapes stay: values with them are texts.
      return { value: text.slice(start + 1, end - 1), start: start + 1, end: end - 1 };
    }
    return { value: parsePlainScalar(rest, text.slice(start, end)), start, end };
  };

  const readBlock = (start: number, indent: number, depth: number): TreeNode => {
    check(depth < MAX_DEPTH);
    const value = isItem(start) ? readList(indent, depth) : readMap(start, indent, depth);
    return { value, start, end: lineAt(at - 1).end };
  };

  const readList = (indent: number, depth: number): TreeNode[] => {
    const items: TreeNode[] = [];
    for (let line = next(); line?.indent === indent && isItem(line.content); line = next()) {
      let inner = line.content + 1;
      while (text[inner] === ' ') inner++;
      KEY.lastIndex = inner;
      items.push(
        KEY.test(text)
          ? readBlock(inner, inner - line.start, depth + 1)
          : readBehind(inner, indent, depth + 1),
      );
    }
    return items;
  };

  /** @param from the place of the first key, which can stand behind a dash. */
  const readMap = (from: number, indent: number, depth: number): Map<string, TreeNode> => {
    const entries = new Map<string, TreeNode>();
    for (let start: number | undefined = from; start !== undefined; ) {
      KEY.lastIndex = start;
      const key = KEY.exec(text)?.[0];
      check(key !== undefined && !key.includes(' #'));
      const name = key.slice(0, -1).replace(/^(["'])(.*)\1$/, '$2');
      check(!entries.has(name));
      entries.set(name, readBehind(start + key.length, indent, depth));
      const line = next();
      check(line === undefined || line.indent <= indent);
      start = line?.indent === indent && !isItem(line.content) ? line.content : undefined;
    }
    return entries;
  };

  const first = next();
  check(first?.indent === 0);
  const root = readBlock(first.content, 0, 0);
  check(next() === undefined);
  return root;
}

/** The value of a scalar without quotes. @param first its first line. */
function parsePlainScalar(first: string, whole: string): TreeNode['value'] {
  if (first === '{}' || first === '[]') {
    check(whole === first);
    return first === '{}' ? new Map() : [];
  }
  // A text in lines, and a list in a list, which is of no use here.
  if (/^[|>][-+\d]*$/.test(first) || first.startsWith('- ')) return whole;
  // The mark of a masked value looks like a list.
  check(!/^(?!\[masked:)[&*!%@`#{}[\],?|>]|: | #|:$/.test(first));
  if (Object.hasOwn(WORDS, whole)) return WORDS[whole] ?? null;
  return NUMBER.test(whole) ? Number(whole) : whole;
}

/** The lines of a text: where each starts, where its content starts behind the spaces, and where it ends. */
function splitTreeLines(text: string): { start: number; content: number; indent: number; end: number }[] {
  const lines = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    let content = start;
    while (text[content] === ' ') content++;
    lines.push({ start, content, indent: content - start, end });
    start = end + 1;
  }
  return lines;
}
