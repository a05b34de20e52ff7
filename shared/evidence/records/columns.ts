// Tables whose cells stand in fixed columns under their head. Pure.

interface Column {
  name: string;
  /** Its place in the line. */
  index: number;
}

/** A cell with its place. */
export interface Cell {
  text: string;
  start: number;
}

/** The columns of a head: at least two spaces stand between them. */
export const splitHeadColumns = (head: string): Column[] =>
  [...head.matchAll(/[^ ]+(?: [^ ]+)*/g)].map(({ 0: name, index }) => ({ name, index }));

/**
 * The cells of a line by their column. @param start the place of the line in the text.
 * @returns undefined where a cell does not stand under its column.
 */
export function splitColumnCells(
  line: string,
  start: number,
  columns: readonly Column[],
): Map<string, Cell> | undefined {
  const cells = new Map<string, Cell>();
  // Wider characters than ASCII move the cells behind them.
  if (!/^[ -~]*$/.test(line)) return undefined;
  for (const [at, { name, index }] of columns.entries()) {
    if (index > 0 && index <= line.length && line[index - 1] !== ' ') return undefined;
    const part = line.slice(index, columns[at + 1]?.index);
    cells.set(name, { text: part.trim(), start: start + index + part.search(/\S|$/) });
  }
  return cells;
}
