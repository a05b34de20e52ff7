// How a planted secret is written. What is promised of each is decided in docs/decisions/0030-masking.md.

import type { Secret } from './plantedSecret.ts';

/** Writes a text. `beside` are some characters that share its bytes where letters do not stay as they are. */
type Write = (text: string, beside: string) => string;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');

/** Every way to write a known value. Rules find what they find as it is, and in `ONE_LEVEL`. */
export const ENCODINGS: Record<string, Write> = {
  raw: (text) => text,
  url: (text) => encodeURIComponent(text),
  'url in small letters': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'url twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  form: (text) => new URLSearchParams({ a: text }).toString(),
  base64,
  'base64 without padding': (text) => base64(text).replace(/=+$/, ''),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64, shifted by one': (text, beside) => base64(`x${text}${beside}`),
  'base64, shifted by two': (text, beside) => base64(`xy${text}${beside}`),
  'base64url, shifted by one': (text, beside) => Buffer.from(`x${text}${beside}`).toString('base64url'),
  'base64url, shifted by two': (text, beside) => Buffer.from(`xy${text}${beside}`).toString('base64url'),
  'base64 in lines': (text, beside) => base64(`${beside}${text}`).replace(/.{20}/g, '$&\n'),
  json: (text) => JSON.stringify({ a: text }),
  'json twice': (text) => JSON.stringify(JSON.stringify({ a: text })),
  'json three times': (text) => JSON.stringify(JSON.stringify(JSON.stringify([text]))),
  'json of Go': (text) =>
    JSON.stringify(text).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  html: (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
  'html names': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  hex,
  'hex in capitals': (text) => hex(text).toUpperCase(),
  'zero width': (text) => [...text].join('\u200b'),
  colours: (text) => `\u001b[31m${text.slice(0, 4)}\u001b[0m${text.slice(4)}`,
  'two lines': (text) => `${text.slice(0, 5)}\n${text.slice(5)}`,
};

/** Rules look behind one of these. */
const ONE_LEVEL = ['raw', 'raw', 'raw', 'json', 'url', 'base64'] as const;
/** What keeps a name a name. */
const NAME = ['raw', 'raw', 'hex', 'base64url'] as const;

/** What would be more than is promised in a field: one level too many, or a line too many. */
const TOO_DEEP: Partial<Record<FieldForm, readonly string[]>> = {
  json: ['json three times'],
  'json in json': [
    'json three times',
    'json twice',
    'json of Go',
    'html',
    'html names',
    'colours',
    'two lines',
    'base64 in lines',
  ],
  line: ['two lines', 'base64 in lines'],
};

/** What a field is: a text, one line of it, a text within JSON, or within JSON in JSON, one that is
 * encoded already, or a name of letters, digits, `_` and `-`. */
export type FieldForm = 'text' | 'line' | 'json' | 'json in json' | 'encoded' | 'name';

/** The names of the encodings that are promised for a secret in a field. */
export function promisedEncodings({ known, text }: Secret, form: FieldForm): readonly string[] {
  if (known === undefined) {
    const levels = form === 'text' || form === 'line' ? ONE_LEVEL : (['raw'] as const);
    // Base64 is recognised by its first letters, which are those of ASCII.
    return levels.filter((name) => name !== 'base64' || /^[\t\n\x20-\x7e]*$/.test(text));
  }
  if (form === 'name') return NAME;
  if (form === 'encoded') return ['raw'];
  const all = Object.keys(ENCODINGS);
  return all.filter((name) => TOO_DEEP[form]?.includes(name) !== true);
}
