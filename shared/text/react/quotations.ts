// Whether a place in a line is inside a quotation. Headers inside quotations are quoted text.

/** Whether a header is quoted whose text before it ends at `textEnd` and whose name starts at `nameStart`. */
type IsQuoted = (textEnd: number, nameStart: number) => boolean;

/**
 * Reads the quotation marks of one line: a header is quoted after an odd number of `"` or back-ticks, or
 * after a “ or « that is not closed. Back-ticks right before a header can close the text before them or open
 * the text after them: it is enough that the number is even without them. Call the result from left to right,
 * which makes it linear.
 */
export function readQuotations(line: string): IsQuoted {
  let index = 0;
  let quotes = 0;
  let backticks = 0;
  let curly = 0;
  let angle = 0;

  function readTo(end: number): void {
    for (; index < end; index += 1) {
      switch (line.charAt(index)) {
        case '"':
          quotes += 1;
          break;
        case '`':
          backticks += 1;
          break;
        case '“':
          curly += 1;
          break;
        case '”':
          curly = Math.max(0, curly - 1);
          break;
        case '«':
          angle += 1;
          break;
        case '»':
          angle = Math.max(0, angle - 1);
          break;
      }
    }
  }

  return (textEnd, nameStart) => {
    readTo(textEnd);
    const backticksBefore = backticks;
    readTo(nameStart);
    const isCode = backticksBefore % 2 === 1 && backticks % 2 === 1;
    return quotes % 2 === 1 || isCode || curly > 0 || angle > 0;
  };
}
