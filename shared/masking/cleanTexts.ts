// Short texts in which a search found nothing. Names of tools, keys of arguments and reasons of providers occur in every answer.

/** Longest kept text, in UTF-16 code units. */
const MAX_LENGTH = 200;
const MAX_TEXTS = 100;

/** The latest short texts without a finding. */
export interface CleanTexts {
  has(text: string): boolean;
  /** Keeps a copy: a part of a long text would keep all of it in memory. */
  add(text: string): void;
}

/** For the results of one search with unchanging secrets. */
export function createCleanTexts(): CleanTexts {
  const texts = new Set<string>();
  return {
    has: (text) => texts.has(text),
    add(text) {
      if (text.length > MAX_LENGTH) return;
      if (texts.size >= MAX_TEXTS) texts.clear();
      texts.add(Buffer.from(text).toString());
    },
  };
}
