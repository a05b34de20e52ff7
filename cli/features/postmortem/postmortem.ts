// `postmortem`: prints a draft of a postmortem of one or several sessions.

import { readFileSync } from 'node:fs';
import { Argument, Option } from 'commander';
import { jsonLine, plannedCommand, printLines, type Work } from '../../api/command.ts';
import { byOption, SESSION_ARGUMENT } from '../../options/commandOptions.ts';
import { printableText, report } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const HELP = `
  npx --no inquest postmortem last > postmortem.md
  npx --no inquest postmortem 2026-11-30-disk 2026-11-30-checkout --facts

The draft has stored facts: timeline, changes, checked evidence, notes, actions and approvals, the verdict. Each statement has a
link to its event. A model writes summary, impact and resolution in one call, as a question of the first session; its
sentences stay only where facts have their values. Unknown parts are marked gaps.
`;

interface Options {
  facts?: boolean;
  form?: 'incident' | 'short';
  template?: string;
  origin?: string;
}

/** The command `postmortem`. */
export const postmortem = plannedCommand({
  name: 'postmortem',
  args: [SESSION_ARGUMENT, new Argument('[more...]', 'further sessions of the incident')],
  options: [
    byOption('who asks the model'),
    new Option('--facts', 'ask no model'),
    new Option(
      '--form <form>',
      'the form (default: postmortem.md of the configuration, else incident)',
    ).choices(['incident', 'short']),
    new Option('--template <file>', 'a template in Markdown, instead of a form'),
    new Option('--origin <url>', 'where the page is, for links'),
  ],
  json: 'print one JSON document',
  help: HELP,
  publishes: true,
  plan: ([, more]: [string, string[]], { facts = false, form, template, origin }: Options): Work => {
    if (form !== undefined && template !== undefined)
      throw new UsageError('--form and --template exclude each other; leave one of them out');
    const text = template === undefined ? undefined : readTemplate(template);
    return {
      acts: true,
      async run({ api, sessionId, options }) {
        const others: string[] = [];
        for (const one of more) others.push(await api.findSession(one));
        const sent = { sessions: [sessionId, ...others], facts, form, template: text, origin };
        const draft = await api.post('/v1/postmortems', {}, sent);
        printLines(options.json ? jsonLine(draft) : printableText(draft.markdown.trimEnd()));
        if (draft.gaps.length > 0) report(`${draft.gaps.length} gaps are marked in the draft.`);
      },
    };
  },
});

function readTemplate(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(`--template ${file}: cannot be read (${why})`);
  }
}
