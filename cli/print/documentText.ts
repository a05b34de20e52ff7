// Formats stored documents for people and as JSON. Control characters in documents never reach the terminal.

import pc from 'picocolors';
import { Scalar, type ScalarTag, stringify } from 'yaml';
import type {
  RawChange,
  RawDocument,
  RawMap,
  RawScalar,
  RawValue,
} from '../../shared/contract/rawDocuments.ts';
import { quoteText } from '../../shared/text/cut.ts';
import { escapeHidden, printableText } from '../process/output.ts';

type Colors = ReturnType<typeof pc.createColors>;

/** Paths of the fields in a document's summary, in order. */
export const SUMMARY_FIELDS = [
  'status',
  'eventType',
  'role',
  'title',
  'parts.alert.title',
  'alert.title',
  'content',
];
const MAX_SUMMARY_COLUMNS = 120;

/** Prints documents, line by line. */
export interface DocumentPrinter {
  collectionId(id: string): void;
  /** A document of a list. */
  summary(document: RawDocument): void;
  document(document: RawDocument): void;
  change(change: RawChange): void;
}

/** A JSON object per line: `{"collection"}`, `{"path","createdAt","updatedAt","fields"}`, `{"change",…}`. */
export function jsonDocumentPrinter(write: (line: string) => void): DocumentPrinter {
  const print = (value: object) => write(escapeHidden(JSON.stringify(value)));
  return {
    collectionId: (collection) => print({ collection }),
    summary: (document) => print(documentJson(document)),
    document: (document) => print(documentJson(document)),
    change(change) {
      if (change.type === 'removed') print({ change: change.type, path: change.path });
      else print({ change: change.type, ...documentJson(change.document) });
    },
  };
}

/** Text for people: fields as YAML, whole strings, ISO 8601 timestamps, colours if `color` is set. */
export function textDocumentPrinter(write: (line: string) => void, color: boolean): DocumentPrinter {
  const c = pc.createColors(color);
  const print = (document: RawDocument) => {
    write(c.dim(`updated ${document.updatedAt}, created ${document.createdAt}`));
    write(fieldsText(document.fields));
  };
  return {
    collectionId: (id) => write(c.cyan(escapeHidden(id))),
    summary: (document) => write(summaryLine(document, c)),
    document(document) {
      write(c.bold(escapeHidden(document.path)));
      print(document);
    },
    change(change) {
      if (change.type === 'removed') {
        write(`${c.red('removed')} ${c.bold(escapeHidden(change.path))}`);
        return;
      }
      const label = change.type === 'added' ? c.green('added') : c.yellow('modified');
      write(`${label} ${c.bold(escapeHidden(change.document.path))}`);
      print(change.document);
      write('');
    },
  };
}

function summaryLine({ id, fields }: RawDocument, c: Colors): string {
  const words = SUMMARY_FIELDS.map((path) => fieldAt(fields, path)).filter(
    (value) => typeof value === 'string',
  );
  const summary = printableText(words.join('  '))
    .replace(/\s*\n[\s\S]*$/, ' …')
    .replaceAll('\t', ' ');
  return `${c.cyan(escapeHidden(id))}  ${quoteText(summary, MAX_SUMMARY_COLUMNS)}`.trimEnd();
}

function fieldAt(fields: RawMap, path: string): RawValue | undefined {
  let value: RawValue | undefined = fields;
  for (const name of path.split('.')) value = value instanceof Map ? value.get(name) : undefined;
  return value;
}

/** Matches the text of Firestore timestamps, so that a string that looks like one is quoted. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value of a Firestore type: a timestamp as it is, any other with its type as a prefix. */
class ShownScalar {
  readonly text: string;

  constructor({ type, text }: RawScalar) {
    this.text = type === 'timestamp' ? text : `!${type} ${text}`;
  }
}

const SHOWN_SCALAR: ScalarTag = {
  tag: 'tag:inquest,2026:scalar',
  default: true,
  test: TIMESTAMP,
  identify: (value) => value instanceof ShownScalar,
  resolve: (text) => text,
  stringify: ({ value }) => (value as ShownScalar).text,
};

/** The fields of a document as YAML for people, with control characters replaced. */
function fieldsText(fields: RawMap): string {
  const options = { customTags: [SHOWN_SCALAR], lineWidth: 0, aliasDuplicateObjects: false };
  return stringify(shownValue(fields), options).trimEnd();
}

function shownValue(value: RawValue): unknown {
  if (typeof value === 'string') return shownText(printableText(value));
  if (Array.isArray(value)) return value.map(shownValue);
  if (value instanceof Map) {
    return new Map([...value].map(([name, field]) => [escapeHidden(name), shownValue(field)]));
  }
  if (typeof value === 'object' && value !== null) {
    return new ShownScalar({ type: value.type, text: escapeHidden(value.text) });
  }
  return value;
}

/** Text that YAML would escape, such as JSON in a string, becomes an unescaped block. */
function shownText(text: string): unknown {
  if (!/["\\\n]/.test(text)) return text;
  const scalar = new Scalar(text);
  scalar.type = 'BLOCK_LITERAL';
  return scalar;
}

function documentJson({ path, createdAt, updatedAt, fields }: RawDocument): object {
  return { path, createdAt, updatedAt, fields: jsonValue(fields) };
}

/** A value for JSON. Numbers that are not exact in JSON become strings, as in Firestore's. */
function jsonValue(value: RawValue): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map(jsonValue);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([name, field]) => [name, jsonValue(field)]));
  }
  return typeof value === 'object' && value !== null ? value.text : value;
}
