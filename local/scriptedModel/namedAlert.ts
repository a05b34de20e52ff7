// Whether a request is about an alert that the script names: title and body in its frame.

import type { GenerateRequest } from '../../packages/scripted-gemini/src/index.ts';
import { alertBodyIn } from '../../shared/alerts/prompt.ts';
import type { NamedAlert } from './modelScript.ts';

/** The first frame with an alert: its facts, one a line, and its body. No text of others can open a frame. */
const ALERT = /<data-([0-9a-f]{12}) source="alert">\n([\s\S]*?\n<\/data-\1>)/;
const TITLE = /^Title: (.*)$/m;

/** Whether a first message has such an alert; one without title and labels matches all. */
export function isAbout({ contents = [] }: GenerateRequest, { title, labels }: NamedAlert): boolean {
  const wanted = Object.entries(labels);
  if (title === undefined && wanted.length === 0) return true;
  const text = contents[0]?.parts?.map((part) => part.text ?? '').join('\n') ?? '';
  const framed = ALERT.exec(text)?.[2];
  if (framed === undefined) return false;
  const body = alertBodyIn(framed);
  return (
    (title === undefined || TITLE.exec(framed)?.[1]?.includes(title) === true) &&
    wanted.every(([name, value]) => hasLabel(body, name, value))
  );
}

/** Whether a text has the label, as JSON (also JSON within a text), YAML or `name=value`. */
function hasLabel(body: string, name: string, value: string): boolean {
  const between = String.raw`[\\"'\s]*[:=][\\"'\s]*`;
  return new RegExp(`(?<![\\w.-])${escapePattern(name)}${between}${escapePattern(value)}(?![\\w.-])`).test(
    body,
  );
}

const escapePattern = (text: string): string => text.replace(/[^\w\s]/g, String.raw`\$&`);
