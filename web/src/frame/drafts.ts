// Unsent text: kept in this browser over a reload, and deleted when it is sent.

import { type ReadonlySignal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

const PREFIX = 'inquest.draft.';

/** A draft; empty when there is none. */
export function readDraft(key: string): string {
  try {
    return localStorage.getItem(PREFIX + key) ?? '';
  } catch {
    return '';
  }
}

/** Keeps a draft; an empty one is deleted. */
export function writeDraft(key: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, text);
  } catch {
    // Without storage it is kept until the page is left.
  }
}

interface Draft {
  text: ReadonlySignal<string>;
  write(text: string): void;
  /** Deletes the draft after sending; keeps a text that changed meanwhile. @param sent trimmed. */
  clear(sent: string): void;
}

/** The draft of a field. @param key of its session and field. */
export function useDraft(key: string): Draft {
  return useMemo(() => {
    const text = signal(readDraft(key));
    const write = (written: string) => {
      text.value = written;
      writeDraft(key, written);
    };
    const clear = (sent: string) => {
      if (text.peek().trim() === sent) write('');
    };
    return { text, write, clear };
  }, [key]);
}
