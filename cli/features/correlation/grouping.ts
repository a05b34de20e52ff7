// `split` and `merge`: correct the grouping of alerts.

import { Argument } from 'commander';
import { command } from '../../api/command.ts';
import { byOption, SESSION_TEXT } from '../../options/commandOptions.ts';

const SPLIT_HELP = `
Takes an alert that a rule with \`join\` or a merge added to SESSION out of it. The alert is published again and opens a session of its own, or
waits for a budget as any other; further reports of its problem belong to that session, and join no other one. \`inquest why\` shows
the id of the message of an alert; of a merged session, its own id stands there. Repeating the command opens no second session.
`;
const MERGE_HELP = `
INTO has to be open. It takes the alert of SESSION, further reports of its problem, and alerts that would have joined SESSION. SESSION
ends as cancelled. Repeating the command has no effect. The agents of INTO do not see the findings of SESSION.
`;
const JSON_HELP = 'print the outcome as a line of JSON';

/** The command `split`. */
export const split = command({
  name: 'split',
  args: [new Argument('<message>', 'the id of the message of the alert, or of the merged session')],
  options: [byOption('who')],
  json: JSON_HELP,
  help: SPLIT_HELP,
  publishes: true,
  route: 'POST /v1/sessions/{sessionId}/split',
  send: ({ args }) => ({ messageId: args.message }),
  toJson: (answer, { sessionId }) => ({ sessionId, ...answer }),
  print: ({ outcome }, { args, sessionId }) =>
    outcome === 'split'
      ? `message ${args.message} left session ${sessionId} and is published again`
      : `message ${args.message} had left session ${sessionId} before; it is published again`,
});

/** The command `merge`. */
export const merge = command({
  name: 'merge',
  args: [new Argument('<into>', SESSION_TEXT)],
  options: [byOption('who')],
  json: JSON_HELP,
  help: MERGE_HELP,
  publishes: true,
  route: 'POST /v1/sessions/{sessionId}/merge',
  send: async ({ api, args }) => ({ into: await api.findSession(args.into ?? '') }),
  toJson: (answer, { sessionId }, { into }) => ({ sessionId, into, ...answer }),
  print: ({ outcome }, { sessionId }, { into }) =>
    `session ${sessionId} ${outcome === 'already_merged' ? 'was merged before' : 'is merged'} into ${into}`,
});
