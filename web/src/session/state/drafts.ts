// Unsent text: kept for its session over a reload, and deleted when it is sent.

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
