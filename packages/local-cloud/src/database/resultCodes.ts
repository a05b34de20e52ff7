// Result codes of failed SQLite statements: https://www.sqlite.org/rescode.html

/** The primary result codes that the local cloud distinguishes. */
export const SQLITE = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
};

/** SQLite's primary result code; undefined for an error of another kind. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  return error.errcode & 0xff;
}
