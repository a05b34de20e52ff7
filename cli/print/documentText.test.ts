import { describe, expect, it } from 'vitest';
import type { RawDocument, RawValue } from '../../shared/contract/rawDocuments.ts';
import { type DocumentPrinter, jsonDocumentPrinter, textDocumentPrinter } from './documentText.ts';

const CREATED = '2026-11-05T10:20:30.123Z';
const UPDATED = '2026-11-05T10:20:31.123456Z';
/** Moves the cursor, in 7 bits and in 8, sets the title, reverses the text, hides a word. */
const HOSTILE = '\u001b[2J \u009b1A \u001b]0;title\u0007 \u202Egnp.exe \u200bx \u{e0041}';
const HIDDEN = /[\p{Cc}\p{Cf}]/u;

function documentOf(fields: Record<string, RawValue>, path = 'sessions/a'): RawDocument {
  const id = path.split('/').at(-1) as string;
  return { path, id, createdAt: CREATED, updatedAt: UPDATED, fields: new Map(Object.entries(fields)) };
}

/** What is written, line by line. */
function textLines(use: (printer: DocumentPrinter) => void, color = false): string[] {
  const written: string[] = [];
  use(textDocumentPrinter((text) => written.push(text), color));
  return written.flatMap((text) => text.split('\n'));
}

const fieldLines = (fields: Record<string, RawValue>): string[] =>
  textLines((printer) => printer.document(documentOf(fields))).slice(2);

describe('a document for people', () => {
  it('starts with its path and its times', () => {
    expect(textLines((printer) => printer.document(documentOf({})))).toEqual([
      'sessions/a',
      `updated ${UPDATED}, created ${CREATED}`,
      '{}',
    ]);
  });

  it('shows maps and lists indented', () => {
    const alert = new Map<string, RawValue>([
      ['labels', new Map([['pod', 'cart']])],
      ['links', ['a', new Map([['url', 'b']])]],
      ['none', []],
    ]);
    expect(fieldLines({ alert })).toEqual([
      'alert:',
      '  labels:',
      '    pod: cart',
      '  links:',
      '    - a',
      '    - url: b',
      '  none: []',
    ]);
  });

  it('shows text whole, line by line, and JSON in a string as it is', () => {
    const long = 'word '.repeat(500).trim();
    expect(fieldLines({ long, text: 'one\n  two\n', args: '{"q":"it\'s \\n"}' })).toEqual([
      `long: ${long}`,
      'text: |',
      '  one',
      '    two',
      'args: |-',
      '  {"q":"it\'s \\n"}',
    ]);
  });

  it('distinguishes text from values of other types that look like it', () => {
    const fields = {
      textNumber: '1',
      number: 1n,
      exact: 9_007_199_254_740_993n,
      half: 0.5,
      textNull: 'null',
      nothing: null,
      textTime: CREATED,
      time: { type: 'timestamp', text: UPDATED },
      bytes: { type: 'bytes', text: 'aGk=' },
    };
    expect(fieldLines(fields)).toEqual([
      'textNumber: "1"',
      'number: 1',
      'exact: 9007199254740993',
      'half: 0.5',
      'textNull: "null"',
      'nothing: null',
      `textTime: "${CREATED}"`,
      `time: ${UPDATED}`,
      'bytes: !bytes aGk=',
    ]);
  });

  it('refuses every control and format character, in names, ids and values', () => {
    const hostile = documentOf(
      {
        [HOSTILE]: HOSTILE,
        list: [HOSTILE],
        to: { type: 'reference', text: `x/${HOSTILE}` },
        status: HOSTILE,
      },
      `sessions/${HOSTILE}`,
    );
    const lines = textLines((printer) => {
      printer.collectionId(HOSTILE);
      printer.document(hostile);
      printer.summary(hostile);
      printer.change({ type: 'added', document: hostile });
      printer.change({ type: 'removed', path: hostile.path });
    });
    expect(lines.filter((line) => HIDDEN.test(line))).toEqual([]);
    expect(lines.join('\n')).toContain('�[2J');
  });

  it('has colours only where they are asked for', () => {
    const use = (printer: DocumentPrinter) => printer.change({ type: 'modified', document: documentOf({}) });
    expect(textLines(use, true)[0]).toBe('\u001b[33mmodified\u001b[39m \u001b[1msessions/a\u001b[22m');
    expect(textLines(use)[0]).toBe('modified sessions/a');
  });
});

describe('the line of a document in a list', () => {
  const summary = (fields: Record<string, RawValue>) =>
    textLines((printer) => printer.summary(documentOf(fields)));

  it('has its status and its title, where there are any', () => {
    const alert = new Map([['title', 'Pod crashes']]);
    expect(summary({ status: 'active', alert })).toEqual(['a  active  Pod crashes']);
    expect(summary({ status: 1n, alert: 'none' })).toEqual(['a']);
  });

  it('is one line, of limited width', () => {
    expect(summary({ eventType: 'llm_response', content: 'I look.\nThen more.' })).toEqual([
      'a  llm_response  I look. …',
    ]);
    expect(summary({ content: 'x'.repeat(1_000) })).toEqual([`a  ${'x'.repeat(120)}…`]);
  });
});

describe('JSON', () => {
  const json = (use: (printer: DocumentPrinter) => void): string[] => {
    const lines: string[] = [];
    use(jsonDocumentPrinter((line) => lines.push(line)));
    return lines;
  };

  it('is one object with path, times and fields; control and format characters are escaped, not lost', () => {
    const fields = {
      text: HOSTILE,
      count: 3n,
      exact: 9_007_199_254_740_993n,
      nan: Number.NaN,
      at: { type: 'timestamp', text: UPDATED },
      map: new Map<string, RawValue>([[HOSTILE, [true, null]]]),
    };
    const [line = '', ...others] = json((printer) => printer.document(documentOf(fields)));
    expect(others).toEqual([]);
    expect(line).not.toMatch(HIDDEN);
    expect(JSON.parse(line)).toEqual({
      path: 'sessions/a',
      createdAt: CREATED,
      updatedAt: UPDATED,
      fields: {
        text: HOSTILE,
        count: 3,
        exact: '9007199254740993',
        nan: 'NaN',
        at: UPDATED,
        map: { [HOSTILE]: [true, null] },
      },
    });
  });

  it('of a change names it', () => {
    const lines = json((printer) => {
      printer.collectionId('sessions');
      printer.change({ type: 'added', document: documentOf({}) });
      printer.change({ type: 'removed', path: 'sessions/a' });
    });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { collection: 'sessions' },
      { change: 'added', path: 'sessions/a', createdAt: CREATED, updatedAt: UPDATED, fields: {} },
      { change: 'removed', path: 'sessions/a' },
    ]);
  });
});
