// Texts of the configuration with values of an alert's labels: `${labels.NAME}`. Pure.

import { isObject } from './json.ts';

const REFERENCE = /\$\{labels\.([^{}]+)\}/g;
const WHOLE = /^\$\{labels\.([^{}]+)\}$/;
/** A value inside a longer text must not end a quotation, a selector or an argument of that text. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.:/@+-]{0,252}$/;

type Filled<T> = { ok: true; value: T } | { ok: false; reason: string };

/**
 * The text with its labels filled in. A label that is the whole text accepts any value. Inside a longer text,
 * it accepts only letters, digits and `_ . : / @ + -`, because labels come from alerts and are untrusted.
 */
export function fillLabels(text: string, labels: Readonly<Record<string, string>>): Filled<string> {
  const [, whole] = WHOLE.exec(text) ?? [];
  let reason: string | undefined;
  const filled = text.replace(REFERENCE, (_, name: string) => {
    const value = Object.hasOwn(labels, name) ? (labels[name] ?? '') : '';
    if (value === '') reason ??= `the alert has no label ${name}`;
    else if (whole === undefined && !PLAIN.test(value))
      reason ??= `the label ${name} holds characters that may not stand inside a longer text`;
    return value;
  });
  return reason === undefined ? { ok: true, value: filled } : { ok: false, reason };
}

/** A JSON value with the labels filled in, in every text of it but keys. */
export function fillLabelsIn(value: unknown, labels: Readonly<Record<string, string>>): Filled<unknown> {
  let reason: string | undefined;
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const filled = fillLabels(part, labels);
      if (filled.ok) return filled.value;
      reason ??= filled.reason;
      return part;
    }
    if (Array.isArray(part)) return part.map(fill);
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, entry]) => [key, fill(entry)]));
  };
  const filled = fill(value);
  return reason === undefined ? { ok: true, value: filled } : { ok: false, reason };
}

/** The fault in the references of a text; undefined when there is none. */
export function labelFault(text: string): string | undefined {
  if (!text.replace(REFERENCE, '').includes(`\${`)) return undefined;
  return `holds "\${" that is no label of the alert; write \${labels.NAME}`;
}
