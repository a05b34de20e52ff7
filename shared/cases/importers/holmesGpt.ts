// HolmesGPT (github.com/robusta-dev/holmesgpt): fixtures of test_investigate, with an alert and recorded
// answers of tools, as they are in commit c1ee1d43 of 21 November 2025: a line of JSON before each answer,
// and the request of the alert in a file beside it.

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asObject, parseJson } from '../../text/json.ts';
import {
  at,
  findLabelMechanism,
  type Importer,
  k8s,
  newestTime,
  readEach,
  readJson,
  readYaml,
  toPlainText,
} from './importedCase.ts';

/**
 * The importer. Component: the subject of the alert; mechanism: from the sentences of `expected_output`;
 * evidence: its quotes in backticks that an answer contains. Cases that need a live cluster are skipped.
 */
export const HOLMES_GPT: Importer = {
  licence: 'Apache-2.0',
  read: (source) =>
    readEach(globSync('**/test_case.yaml', { cwd: source }), (file) => {
      const folder = join(source, dirname(file));
      const name = basename(folder);
      if (!existsSync(join(folder, 'investigate_request.json')))
        return {
          name,
          reason:
            'no investigate_request.json, which recorded fixtures have in commit c1ee1d43 (21 November 2025), the version that is read',
        };
      const request = readJson(folder, 'investigate_request.json');
      const expected = [readYaml(folder, 'test_case.yaml').expected_output]
        .flat()
        .map(toPlainText)
        .join('\n');
      const answers = readdirSync(folder)
        .filter((one) => one.includes('.txt'))
        .flatMap((one) => parseAnswerFile(readFileSync(join(folder, one), 'utf8')));
      const mechanism = findLabelMechanism(expected);
      if (mechanism === undefined || answers.length === 0)
        return {
          name,
          reason: mechanism === undefined ? 'its expected output names no mechanism' : 'no recorded answers',
        };
      const namespace = toPlainText(at(request, 'subject', 'namespace')) || 'default';
      const subject = toPlainText(at(request, 'subject', 'name'));
      if (subject === '') return { name, reason: 'its alert names no subject' };
      const kind = toPlainText(at(request, 'subject', 'subject_type')) || 'pod';
      const component = k8s(namespace, kind.charAt(0).toUpperCase() + kind.slice(1), subject);
      const all = answers.map(({ answer }) => answer.text).join('\n');
      const quotes = [...expected.matchAll(/`([^`]{8,})`/g)].map(([, quote]) => quote ?? '');
      return {
        name,
        at: newestTime([all]),
        evidence: quotes.filter((quote) => all.includes(quote)),
        alert: {
          title: toPlainText(request.title),
          summary: toPlainText(request.description),
          severity: 'critical',
          labels: { cluster: 'bench', namespace, app: subject },
        },
        tools: [...Map.groupBy(answers, ({ tool }) => tool)].map(([tool, own]) => ({
          name: tool,
          description: `Recorded answers of ${tool}.`,
          yields: 'text' as const,
          parameters: [...new Set(own.flatMap(({ answer }) => Object.keys(answer.arguments)))],
          answers: own.map(({ answer }) => answer),
        })),
        causes: [{ component, mechanism, also: [subject] }],
      };
    }),
};

/** A file: a line of JSON with tool and arguments, then the answer. */
function parseAnswerFile(text: string) {
  const end = text.indexOf('\n');
  const head = asObject(parseJson(text.slice(0, end)));
  const tool = toPlainText(head.tool_name);
  if (tool === '') return [];
  const server = toPlainText(head.toolset_name).replaceAll(/\W+/g, '_') || 'holmes';
  const answer = {
    arguments: asObject(head.match_params),
    text: text.slice(end + 1),
    error: false,
    timedOut: false,
  };
  return [{ tool: `${server}.${tool}`, answer }];
}
