// Checks a YAML file against a zod schema and reports every fault with its place, for its author.

import type * as z from 'zod';
import { isObject } from '../text/json.ts';
import { describeIssue, innerIssue, quoteFound, valueAt } from '../text/zodIssues.ts';
import { maskQuoted } from './configError.ts';
import { type Fault, faultAt, type YamlFile } from './yamlFile.ts';

/**
 * The parsed value; undefined when there are faults, which are added to `faults`. Also undefined for a file
 * that is not valid YAML, whose faults were reported when it was parsed.
 */
export function validateFile<S extends z.ZodType>(
  yaml: YamlFile,
  schema: S,
  faults: Fault[],
): z.output<S> | undefined {
  if (yaml.value === undefined) return undefined;
  // A file is read once, so that a compiled parser would cost more than it saves.
  const result = schema.safeParse(yaml.value, { jitless: true });
  if (result.success) return result.data;
  const found = result.error.issues.flatMap((issue) => toYamlFaults(yaml, innerIssue(issue)));
  faults.push(...found.sort(inFileOrder));
  return undefined;
}

function inFileOrder(a: Fault, b: Fault): number {
  const [from, to] = [a.position, b.position];
  return from === null || to === null ? 0 : from.line - to.line || from.column - to.column;
}

function isSamePosition(a: Fault['position'], b: Fault['position']): boolean {
  return a !== null && b !== null && a.line === b.line && a.column === b.column;
}

function toYamlFaults(yaml: YamlFile, issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    // Only a mapping of `strictMapping` lists the known keys.
    const expectations = issue.message.startsWith('Unrecognized') ? [] : issue.message.split('\n');
    return issue.keys.map((key, index) => {
      const path = [...issue.path, key];
      const fault = faultAt(yaml, path, `unknown key; ${expectations[index] ?? 'remove it'}`, 'key');
      const cut = yaml.cuts.find(({ position }) => isSamePosition(position, fault.position));
      return cut === undefined ? fault : { ...fault, message: cut.message };
    });
  }
  const what = issue.code === 'invalid_key' ? 'key' : 'value';
  const found = valueAt(yaml.value, issue.path);
  const fault = faultAt(
    yaml,
    issue.path,
    describeIssue(issue, found, maskQuoted) + notationHint(issue, found),
    what,
  );
  const unknownStrategy = issue.code === 'invalid_value' && issue.path.at(-1) === 'strategy';
  if (unknownStrategy) fault.code = 'CONFIG_UNKNOWN_STRATEGY';
  return [fault];
}

/** How to write a value of another form than expected, for places where people mistake them. */
function notationHint(issue: z.core.$ZodIssue, found: unknown): string {
  if (issue.code !== 'invalid_type') return '';
  if (issue.expected === 'array') {
    if (typeof found === 'string' && found !== '') return `; write [${quoteFound(found, maskQuoted)}]`;
    return isObject(found) ? '; start each entry with "- "' : '';
  }
  if (!['object', 'record'].includes(issue.expected)) return '';
  const [top, second] = issue.path;
  if (typeof found === 'string' && issue.path.at(-2) === 'notify')
    return `; write "to: ${quoteFound(found, maskQuoted)}"`;
  if (top === 'chains' && issue.path.length === 2 && Array.isArray(found))
    return '; put this list under a key "stages"';
  if (Array.isArray(found)) return found.every(isObject) ? '; write its keys without "- "' : '';
  const isTool = top === 'json_schema_extra' && second === 'tools' && typeof found === 'string';
  return isTool ? `; write { name: ${quoteFound(found, maskQuoted)} }` : '';
}
