// Finds rules and texts about labels that no stored alert can have, and patterns of another notation.

import { isObject } from '../text/json.ts';
import { labelName, labelValue } from '../text/labels.ts';
import { quoteName } from './configError.ts';
import { type Fault, faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

/** Labels by name, or a list of names, in rules of chains.yaml and triage.yaml and in lists of runbooks. */
const LABELS = 'labels';
/** A start or end of a line, any text, classes and alternatives, as regular expressions write them. */
const REGULAR = /^\^|\$$|^\.\*|\.\+|\\[.dDsSwW]|\[\^?\w-\w|\([^()]*\|[^()]*\)|\w\|\w/;
const REFERENCE = /\$\{labels\.([^{}]+)\}/g;

/** A fault for each name and value of a label in the file that alerts are never stored with. */
export function labelFaults(file: YamlFile): Fault[] {
  return [...faultsBelow(file, file.value, [])];
}

function* faultsBelow(file: YamlFile, value: unknown, path: YamlPath): Generator<Fault> {
  if (typeof value === 'string') {
    for (const [, name = ''] of value.matchAll(REFERENCE)) yield* nameFault(file, path, name);
  } else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) yield* faultsBelow(file, entry, [...path, index]);
  } else if (isObject(value)) {
    for (const [key, entry] of Object.entries(value)) {
      // Arguments of a tool can have any names.
      if (key === LABELS && !path.includes('arguments')) yield* faultsOfLabels(file, entry, [...path, key]);
      else yield* faultsBelow(file, entry, [...path, key]);
    }
  }
}

function* faultsOfLabels(file: YamlFile, labels: unknown, path: YamlPath): Generator<Fault> {
  if (Array.isArray(labels)) {
    for (const [index, name] of labels.entries())
      if (typeof name === 'string') yield* nameFault(file, [...path, index], name);
    return;
  }
  if (!isObject(labels)) return;
  for (const [name, values] of Object.entries(labels)) {
    yield* nameFault(file, [...path, name], name, 'key');
    const listed = Array.isArray(values) ? values.entries() : [[undefined, values] as const];
    for (const [index, value] of listed) {
      const message = typeof value === 'string' ? valueFault(value) : undefined;
      if (message === undefined) continue;
      yield faultAt(file, index === undefined ? [...path, name] : [...path, name, index], message);
    }
  }
}

/** Why no label has this value; undefined if one can. */
function valueFault(value: string): string | undefined {
  if (labelValue(value) !== value.trim())
    return `can never match: values of labels are stored on one line, this one as ${quoteName(labelValue(value))}`;
  if (!REGULAR.test(value)) return undefined;
  const glob = value.replace(/^\^|\$$/g, '').replace(/\.[*+]\??/g, '*');
  const fix = /[\\^$()[\]|+?]/.test(glob)
    ? 'write a list of values, in which * stands for any text'
    : `write ${quoteName(glob)}`;
  return `looks like a regular expression, and is compared as text in which only * has a meaning; ${fix}`;
}

function* nameFault(file: YamlFile, path: YamlPath, name: string, what?: 'key'): Generator<Fault> {
  const stored = labelName(name);
  if (stored === name) return;
  const fix = stored === '' ? 'remove it' : `write ${quoteName(stored)}`;
  yield faultAt(
    file,
    path,
    `no alert has the label ${quoteName(name)}: names are stored without such characters; ${fix}`,
    what,
  );
}
