// Texts in which a search found nothing. Names of tools, keys of arguments and reasons of providers occur in
// every answer, and the arguments of a call are masked and then searched again.

/** Longest kept text, in UTF-16 code units. */
const MAX_LENGTH = 2_000;
const MAX_TEXTS = 100;
const MAX_CHARACTERS = 40_000;

/** The latest texts without a finding. */
interface CleanTexts {
  has(text: string): boolean;
  /** Keeps a copy: a part of a long text would keep all of it in memory. */
  add(text: string): void;
}

/** For the results of one search with unchanging secrets. */
export function createSecretFreeTexts(): CleanTexts {
  const texts = new Set<string>();
  let characters = 0;
  return {
    has: (text) => texts.has(text),
    add(text) {
      if (text.length > MAX_LENGTH) return;
      if (texts.size >= MAX_TEXTS || characters + text.length > MAX_CHARACTERS) {
        texts.clear();
        characters = 0;
      }
      texts.add(Buffer.from(text).toString());
      characters += text.length;
    },
  };
}
