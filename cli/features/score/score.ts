// `score`: has a judge model score an ended investigation.

import { type Answer, command } from '../../api/command.ts';
import { byOption } from '../../options/commandOptions.ts';
import { printableText } from '../../process/output.ts';

const HELP = `
Off unless system.yaml names a model as judgeModel. A judge reads the analyses, the calls and the heads of their results as data,
gives each of four criteria 0 to 25 points, and names faults. A session is scored once: later calls print the stored score. It is
an opinion of a model, for trends (\`inquest calibration\`), and nothing else depends on it. Its tokens count in the daily budgets.
`;

const ROUTE = 'POST /v1/sessions/{sessionId}/score';

/** The command `score`. */
export const score = command({
  name: 'score',
  options: [byOption('who requests it')],
  json: 'print one JSON document',
  help: HELP,
  route: ROUTE,
  print: scoreLines,
});

function scoreLines({ score: found, isNew }: Answer<typeof ROUTE>): string[] {
  const { total, points, faults, missingTools, unclearTools, reason, model, rubric, tokens, createdAt } =
    found;
  const list = (name: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`${name}: ${texts.map(printableText).join(', ')}`];
  const used = tokens === null ? '' : `, ${tokens.total} tokens`;
  return [
    `${total} of 100 (${Object.entries(points)
      .map(([criterion, count]) => `${criterion} ${count}`)
      .join(', ')})`,
    ...list('faults', faults),
    ...list('tools that it lacked', missingTools),
    ...list('tools with an unclear description', unclearTools),
    printableText(reason),
    `${isNew ? 'scored' : `scored at ${String(createdAt)}`} by ${printableText(model)}, rubric ${rubric}${used}`,
  ];
}
