// Changes of parts of texts: all positions are those of the text before any of them.

/** Replaces the characters from `start` to before `end`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The edits of each file. */
export type FileEdits = Map<string, Edit[]>;

/** Adds edits to those of a file. */
export function addEdits(all: FileEdits, file: string, edits: readonly Edit[]): void {
  if (edits.length > 0) all.set(file, [...(all.get(file) ?? []), ...edits]);
}

/**
 * The text after all edits, in any order; equal ones count once.
 * @throws Error when two different edits overlap.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let position = 0;
  for (const edit of sortEdits(edits)) {
    if (edit.start < position)
      throw new Error(`two changes overlap at "${text.slice(edit.start, edit.end)}"`);
    result += text.slice(position, edit.start) + edit.text;
    position = edit.end;
  }
  return result + text.slice(position);
}

/** Edits by position, each once. */
export function sortEdits(edits: readonly Edit[]): Edit[] {
  const unique = new Map(edits.map((edit) => [`${edit.start}-${edit.end}-${edit.text}`, edit]));
  return [...unique.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The number of the line of a position, from 1. */
export const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length;

/** A pattern that matches a text itself. */
export const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
