// Examples: a folder each under examples/, with an alert, a configuration, tool data and a scripted model.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const DEFAULT_EXAMPLE = 'crashloop';
const EXAMPLES = fileURLToPath(new URL('../examples', import.meta.url));

export interface Example {
  name: string;
  /** The alert as its source sends it. */
  alertFile: string;
  /** What its source reports afterwards, in order; usually nothing. */
  laterFiles: string[];
  configFolder: string;
  /** What the scripted Gemini answers. */
  scriptFile: string;
  /** Entries of the knowledge base that its agents find; usually none. */
  knowledgeFiles: string[];
  /** What is asked about its result, in order; usually nothing. */
  questions: string[];
}

/** All examples' names, sorted. */
export function exampleNames(): string[] {
  return readdirSync(EXAMPLES)
    .filter((name) => existsSync(join(EXAMPLES, name, 'alert.json')))
    .sort();
}

/**
 * An example by name.
 * @throws Error naming the ones there are.
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

/** The files of a folder that need not exist, by their names. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
}

/** A question a line. */
function questionsIn(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}
