// The examples: each folder below examples/ has an alert, a configuration, tool data and a scripted model.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFile } from '../shared/projectFiles.ts';

/** The example of `demo` and `start`. */
export const DEFAULT_EXAMPLE = 'crashloop';
const EXAMPLES = projectFile('examples');

/** Absolute paths of the files of an example. */
export interface Example {
  /** Name of the folder. */
  name: string;
  /** The alert in the format of its source. */
  alertFile: string;
  /** Later reports of the source, in order; usually empty. */
  laterFiles: string[];
  /** The configuration, which replaces `config/`. */
  configFolder: string;
  /** The script of the scripted Gemini. */
  scriptFile: string;
  /** Entries of the knowledge base; usually empty. */
  knowledgeFiles: string[];
  /** Questions about the result, in order; usually empty. */
  questions: string[];
}

/** The names of all examples, sorted. */
export function exampleNames(): string[] {
  return readdirSync(EXAMPLES)
    .filter((name) => existsSync(join(EXAMPLES, name, 'alert.json')))
    .sort();
}

/**
 * An example by name.
 * @throws Error with the names of all examples when the name is unknown.
 */
export function findExample(name: string): Example {
  const names = exampleNames();
  if (!names.includes(name)) {
    throw new Error(`there is no example "${name}"; there are: ${names.join(', ')}`);
  }
  const folder = join(EXAMPLES, name);
  return {
    name,
    alertFile: join(folder, 'alert.json'),
    laterFiles: filesIn(join(folder, 'later')),
    configFolder: join(folder, 'config'),
    scriptFile: join(folder, 'model.yaml'),
    knowledgeFiles: filesIn(join(folder, 'knowledge')),
    questions: questionsIn(join(folder, 'questions.txt')),
  };
}

/** The files of an optional folder, sorted by name. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
}

/** One question per line of an optional file. */
function questionsIn(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}
