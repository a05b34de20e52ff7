// Code fences of Markdown: which lines open one, which line closes it, and which lines are inside.

/** A fence that is open. */
export interface Fence {
  /** A back-tick or a tilde. */
  character: string;
  /** Number of fence characters in the first line; the closing line has at least as many. */
  length: number;
}

/** Back-ticks after the opening ones make it code within a line: ```` ```a.b``` ````. */
const OPENING = /^(?:`{3,}(?!.*`)|~{3,})/;
const CLOSING = /^(?:`{3,}|~{3,})$/;

/** The fence that a line opens; undefined when it opens none. A closing line opens one where none is open. */
export function opensFence(line: string): Fence | undefined {
  const marks = OPENING.exec(line.trimStart())?.[0];
  return marks === undefined ? undefined : { character: marks.charAt(0), length: marks.length };
}

/** Whether a line closes the fence: the same character, at least as often, and nothing after it. */
export function closesFence({ character, length }: Fence, line: string): boolean {
  const marks = line.trim();
  return marks.length >= length && marks.startsWith(character) && CLOSING.test(marks);
}

/** For each line, whether it is inside a fence or is the first or last line of one. */
export function fencedLines(lines: readonly string[]): boolean[] {
  let open: Fence | undefined;
  return lines.map((line) => {
    if (open === undefined) {
      open = opensFence(line);
      return open !== undefined;
    }
    if (closesFence(open, line)) open = undefined;
    return true;
  });
}

/** The lines inside a fence around all of them without another fence; other lines unchanged. */
export function unwrapFence(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const fence = opensFence(lines[first] ?? '');
  if (fence === undefined || last <= first || !closesFence(fence, lines[last] ?? '')) return lines;
  const inside = lines.slice(first + 1, last);
  return inside.some((line) => opensFence(line) !== undefined) ? lines : inside;
}
