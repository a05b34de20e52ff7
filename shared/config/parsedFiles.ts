// The values of YAML files that a build has parsed. Parsing them takes a sixth of a cold start.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { asObject, type JsonObject } from '../text/json.ts';
import { parseYaml, type YamlFile } from './yamlFile.ts';

/** The file in the folder of a configuration that has the values. */
export const PARSED_FILES = '.parsed.json';

/** Values by the SHA-256 of their text, so that a text that was changed later has none. */
export type ParsedFiles = JsonObject;

/** Reads the values of a build; none where the folder is not the output of one. */
export function readParsedFiles(folder: string): ParsedFiles {
  try {
    return asObject(JSON.parse(readFileSync(path.join(folder, PARSED_FILES), 'utf8')));
  } catch {
    return {};
  }
}

/** The entry of a file, for a build; undefined for a faulty file, and for a value such as `.inf`. */
export function parseEntry(text: string): [digest: string, value: unknown] | undefined {
  const { value, faults, cuts } = parseYaml('', text);
  if (value === undefined || faults.length > 0 || cuts.length > 0) return undefined;
  return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value) ? [digest(text), value] : undefined;
}

/** The file with the value of a build; else parsed, for the first place that asks for it. */
export function readYamlText(file: string, text: string, parsed: ParsedFiles): YamlFile {
  const key = digest(text);
  if (!Object.hasOwn(parsed, key)) return parseYaml(file, text);
  let yaml: YamlFile | undefined;
  return {
    file,
    text,
    value: parsed[key],
    faults: [],
    cuts: [],
    position(at, part) {
      yaml ??= parseYaml(file, text);
      return yaml.position(at, part);
    },
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
