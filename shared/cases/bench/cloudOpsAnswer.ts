// The line with which an analysis answers a case of Cloud-OpsBench.

import { cloudOpsRules } from './rules.ts';

const LINE = /fault_taxonomy: *(\w+)[;,] *fault_object: *([\w./-]+)[;,] *root_cause: *(\w+)/gi;

/** The line. @param cause one of the 49 labels. */
export function answerLine(object: string, cause: string): string {
  const { taxonomies } = cloudOpsRules();
  const taxonomy = Object.keys(taxonomies).find((one) => taxonomies[one]?.includes(cause));
  return `fault_taxonomy: ${taxonomy}; fault_object: ${object}; root_cause: ${cause}`;
}

/** The answer of an analysis: its last such line, in lower case. */
export function readAnswer(analysis: string): { taxonomy: string; object: string; cause: string } {
  const [, taxonomy = '', object = '', cause = ''] = [...analysis.toLowerCase().matchAll(LINE)].at(-1) ?? [];
  return { taxonomy, object, cause };
}

/** The task for the agents of a real model. */
export const answerTask = (): string =>
  [
    'End the analysis with one line in exactly this form, as plain text:',
    'fault_taxonomy: TAXONOMY; fault_object: OBJECT; root_cause: CAUSE',
    'OBJECT is app/NAME, node/NAME or namespace/NAME. The causes by taxonomy:',
    ...Object.entries(cloudOpsRules().taxonomies).map(([one, causes]) => `${one}: ${causes.join(', ')}`),
  ].join('\n');
