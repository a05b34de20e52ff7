// `show`: prints a session with its alert, agents, timeline, analysis and cost.

import { jsonLine, plannedCommand, printLines } from '../../api/command.ts';
import { markedAnalysis, readSession } from '../../api/sessions.ts';
import { SESSION_ARGUMENT } from '../../options/commandOptions.ts';
import { sessionPage } from '../../print/sessionPage.ts';
import { hasColor } from '../../process/output.ts';

const HELP = `
\`--json\` prints one document; shared/features/sessions/README.md names its fields. In the analysis of a session with a verdict, marks such as
"[in no result]" stand behind values and assertions that the results do not bear out (shared/features/claims/README.md).
`;

/** The command `show`. */
export const show = plannedCommand({
  name: 'show',
  args: [SESSION_ARGUMENT],
  json: 'print one JSON document',
  help: HELP,
  plan: () => ({
    async run({ api, sessionId, options }) {
      const view = await readSession(api, sessionId);
      if (options.json) return printLines(jsonLine(view));
      const marked = { ...view, finalAnalysis: await markedAnalysis(api, view) };
      const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
      printLines(sessionPage(marked, columns, hasColor(process.stdout, process.env), new Date()));
    },
  }),
});
