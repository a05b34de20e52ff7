// Names a session without its alert's words, which its id and its entry's key start with.

/** The id of a session that an alert opened: day, words of the title, and digits of the alert's key. */
const WORDS_IN_ID = /^((?:session-)?\d{4}-\d\d-\d\d)-[a-z0-9-]*-([0-9a-f]{6}|[0-9a-f]{16})$/;
/** The rest of such a key. */
const REFERENCE = /^session-(\d{4}-\d\d-\d\d)-([0-9a-f]{6}|[0-9a-f]{16})$/;

/**
 * The id or key as prompts contain it: `2026-11-22-delete-all-pods-3f2a1c` is `2026-11-22-3f2a1c`. Other ids
 * and keys are returned unchanged: they have no words of an alert.
 */
export function sessionReference(idOrKey: string): string {
  return idOrKey.replace(WORDS_IN_ID, '$1-$2');
}

/** The digits of the reference to a session's entry; undefined for any other key. */
export function referenceDigits(key: string): string | undefined {
  return REFERENCE.exec(key)?.[2];
}
