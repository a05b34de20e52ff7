// A line of progress: a terminal rewrites it, other outputs get a new line at each tenth.

/** Escape sequence that moves to the start of the line and clears it. */
const REWRITE = '\r\u001b[2K';

/** Prints the progress of one task after another. */
interface ProgressLine {
  /** @param done of `total`. @param isEnd whether the task is complete. */
  show(task: string, text: string, part: { done: number; total: number; isEnd: boolean }): void;
  /** Ends the line that is being rewritten, if any. Call it before writing other output. */
  end(): void;
}

/** Nothing is shown at first. */
export function createProgressLine(write: (text: string) => void, isTerminal: boolean): ProgressLine {
  let isOpen = false;
  let shown = '';
  return {
    show(task, text, { done, total, isEnd }) {
      if (isTerminal) {
        write(`${REWRITE}${text}${isEnd ? '\n' : ''}`);
        isOpen = !isEnd;
        return;
      }
      const tenth = Math.floor((10 * done) / Math.max(1, total));
      // The last tenth is reported when the task is complete.
      if (!isEnd && (tenth === 0 || tenth >= 10 || `${task} ${tenth}` === shown)) return;
      shown = `${task} ${tenth}`;
      write(`${text}\n`);
    },
    end() {
      if (isOpen) write('\n');
      isOpen = false;
    },
  };
}
