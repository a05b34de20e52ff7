// A share as people read it, the same on the page and in the terminal.

/** The rounded share in percent: `83 %`. @param whole above zero. */
export function shareText(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`;
}
