// Separates thinking from text in answers with <think>…</think>, as OpenAI-like servers send it.

const OPEN = '<think>';
const CLOSE = '</think>';

/** A piece of an answer, of one kind. */
export interface SplitPiece {
  /** Whether the piece was inside `<think>`. */
  kind: 'text' | 'thinking';
  /** The text of the piece. */
  delta: string;
}

/** Splits one answer, piece by piece. */
interface ThinkTagSplitter {
  /** The pieces that are certain after this delta. Tags are left out. */
  add(delta: string): SplitPiece[];
  /** The text that is still held back: the start of a tag, or blank text. Does not change the state. */
  rest(): SplitPiece[];
}

/**
 * A splitter for the text of one answer. Only tags in front of the text count, one pair or several: further
 * on they are text, for example a quoted log line. An unclosed tag is thinking up to the end. Deltas can end
 * anywhere, also in a tag.
 */
export function createThinkTagSplitter(): ThinkTagSplitter {
  let state: 'front' | 'thinking' | 'text' = 'front';
  let hasThought = false;
  let held = '';

  /** Blank text after a thought only separates it from the answer. */
  const text = (delta: string): SplitPiece[] => {
    const shown = hasThought && state === 'front' ? delta.trimStart() : delta;
    return shown === '' ? [] : [{ kind: 'text', delta: shown }];
  };
  const thinking = (delta: string): SplitPiece[] => (delta === '' ? [] : [{ kind: 'thinking', delta }]);

  /** Reads the held text as far as it is certain. */
  function readHeld(): SplitPiece[] {
    if (state === 'front') {
      const front = held.trimStart();
      if (front.startsWith(OPEN)) {
        held = front.slice(OPEN.length);
        state = 'thinking';
        hasThought = true;
        return readHeld();
      }
      if (OPEN.startsWith(front)) return [];
      const pieces = text(held);
      state = 'text';
      held = '';
      return pieces;
    }
    const end = held.indexOf(CLOSE);
    if (end !== -1) {
      const thought = held.slice(0, end);
      held = held.slice(end + CLOSE.length);
      state = 'front';
      return [...thinking(thought), ...readHeld()];
    }
    const kept = partialTag(held);
    const thought = held.slice(0, held.length - kept);
    held = held.slice(held.length - kept);
    return thinking(thought);
  }

  return {
    add(delta) {
      if (state === 'text') return text(delta);
      held += delta;
      return readHeld();
    },
    rest: () => (state === 'thinking' ? thinking(held) : text(held)),
  };
}

/** How many characters at the end can be the start of the closing tag. */
function partialTag(text: string): number {
  for (let length = CLOSE.length - 1; length > 0; length -= 1) {
    if (text.endsWith(CLOSE.slice(0, length))) return length;
  }
  return 0;
}
