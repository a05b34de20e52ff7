// The log of a process. `shared/log.ts` writes it as Cloud Logging reads it.

/** Writes a line of one level, with fields that readers filter by. An error is the field `err`. */
interface WriteLine {
  (message: string): void;
  (fields: object, message: string): void;
}

/** A structured logger. Callers log bodies and texts of models at `debug` only, and credentials never. */
export interface Logger {
  /** For developers. */
  debug: WriteLine;
  /** The ordinary course. */
  info: WriteLine;
  /** Something is missing or was repaired, and the work continues. */
  warn: WriteLine;
  /** Someone has to look. */
  error: WriteLine;
  /** The line of a level as text, at any level. Absent: a thrown error has its message only. */
  format?(level: 'debug' | 'warn' | 'error', fields: object, message: string): string;
}
