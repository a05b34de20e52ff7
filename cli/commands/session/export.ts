// `export`: prints the conversation of an agent in the form of a provider's API.

import { Argument } from 'commander';
import { CONVERSATION_FORMS } from '../../../shared/text/conversationForms.ts';
import { command } from '../../api/command.ts';
import { ParameterOption } from '../../options/parameterOption.ts';

const ROUTE = 'GET /v1/sessions/{sessionId}/executions/{executionId}/conversation';

const HELP = `
Prints the whole conversation as one JSON document on one line, as a request of the API holds it: with calls and results of tools, masked as
it is stored. Signatures and encrypted parts are only in the form of the provider that made them. \`inquest show SESSION --json\`
names the executions. Needs the role responder.
`;

/** The command `export`. */
export const exportConversation = command({
  name: 'export',
  args: [new Argument('<execution>', 'the id of the execution of an agent, such as 01-investigator')],
  options: [
    new ParameterOption('--form <api>', 'the API whose form it gets')
      .choices(CONVERSATION_FORMS)
      .default('gemini'),
  ],
  json: 'the same: the output is JSON',
  help: HELP,
  route: ROUTE,
  print: (conversation) => JSON.stringify(conversation),
});
