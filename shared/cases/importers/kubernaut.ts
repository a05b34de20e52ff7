// kubernaut (github.com/jordigilh/kubernaut-demo-scenarios): golden transcripts with calls and analysis.

import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { parseCallArguments } from '../../text/callArguments.ts';
import { asObject } from '../../text/json.ts';
import {
  at,
  findLabelMechanism,
  type ImportedCase,
  type Importer,
  k8s,
  readEach,
  readJson,
  type SkippedCase,
  toPlainText,
} from './importedCase.ts';

/** Tools of its agent that read nothing of the cluster. */
const OWN = /^(?:todo_write|list_workflows|get_workflow|list_available_actions|submit)/;

/**
 * The importer. The truth is the transcript's accepted analysis: the target of the remediation and the
 * mechanism that the name of its signal, else its summary, names. Transcripts without calls are skipped.
 */
export const KUBERNAUT: Importer = {
  licence: 'Apache-2.0',
  read: (source) =>
    readEach(globSync('**/*.json', { cwd: source }), (file): (ImportedCase | SkippedCase)[] => {
      const transcript = readJson(source, file);
      if (!Array.isArray(transcript.llmTrace)) return [];
      const name = basename(file, '.json');
      const analysis = asObject(at(transcript, 'analysis', 'rootCauseAnalysis'));
      const target = asObject(analysis.remediationTarget);
      const signal = toPlainText(transcript.signalName);
      const mechanism = findLabelMechanism(signal) ?? findLabelMechanism(toPlainText(analysis.summary));
      const events = transcript.llmTrace.map(asObject);
      const calls = events.filter(
        (one) => toPlainText(one.tool_result) !== '' && !OWN.test(toPlainText(one.tool_name) || 'submit'),
      );
      const [first] = calls;
      if (first === undefined || mechanism === undefined || toPlainText(target.name) === '')
        return [
          {
            name,
            reason: first === undefined ? 'it has no calls' : 'its analysis names no target or mechanism',
          },
        ];
      const tools = Map.groupBy(calls, (one) => toPlainText(one.tool_name));
      const alerted = asObject(at(transcript, 'analysis', 'signal', 'targetResource'));
      return [
        {
          name,
          at: new Date(toPlainText(first.event_timestamp)),
          evidence: [],
          alert: {
            title: signal,
            severity: toPlainText(at(transcript, 'analysis', 'signal', 'severity')) || 'critical',
            labels: {
              cluster: 'bench',
              namespace: toPlainText(alerted.namespace),
              app: toPlainText(alerted.name),
            },
          },
          tools: [...tools].map(([tool, own]) => {
            const answers = own.map((one) => ({
              arguments: parseCallArguments(toPlainText(one.tool_arguments)),
              text: toPlainText(one.tool_result),
              error: false,
              timedOut: false,
            }));
            return {
              name: `kubernaut.${tool}`,
              description: `Recorded answers of ${tool}.`,
              answers,
              yields: /^kubectl_(?:get|describe)/.test(tool) ? ('state' as const) : ('text' as const),
              parameters: [...new Set(answers.flatMap((one) => Object.keys(one.arguments)))],
            };
          }),
          causes: [
            {
              component: k8s(
                toPlainText(target.namespace),
                toPlainText(target.kind),
                toPlainText(target.name),
              ),
              mechanism,
              also: [toPlainText(target.name)],
            },
          ],
        },
      ];
    }),
};
