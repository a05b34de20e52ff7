// `agents`: the agents of a configuration and of the store, in the notation of agents/NAME.yaml.

import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { urlOption } from '../api/apiClient.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { registerAgentEdits } from './agents/edit.ts';
import { listAgents, showAgent, validateAgents } from './agents/read.ts';

const FOLDER: [string, string] = [
  '--config <folder>',
  'the configuration (default: INQUEST_CONFIG, else config/)',
];

const STORE_HELP = `
An agent in the store counts instead of the one of the same name in the configuration's files. It is read when a session is
opened, or an agent is asked; an instance that knows another one goes on with that for up to 300 s. Sessions that are open
keep theirs. Without a database in the environment the files alone are looked at.`;

/** Adds the command to the program. */
export function registerAgents(program: Command): void {
  const agents = program.command('agents').addHelpText('after', `${STORE_HELP}\n${DATABASE_HELP}`);
  agents
    .command('list')
    .description('list the agents of the configuration and of the store')
    .option(...FOLDER)
    .addOption(urlOption())
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', `${STORE_HELP}\n${DATABASE_HELP}`)
    .action(listAgents);
  agents
    .command('show')
    .description('print an agent as it counts: from the store, else from the files')
    .argument('<name>', 'of the agent')
    .option(...FOLDER)
    .addOption(urlOption())
    .option('--prompt', 'print its prompt instead, as its model gets it')
    .option('--structured', 'with --prompt: as if structured output was asked for')
    .addHelpText('after', `${STORE_HELP}\n${DATABASE_HELP}`)
    .action(showAgent);
  agents
    .command('validate')
    .description('check files like agents/NAME.yaml against the configuration; without files its own agents')
    .argument('[files...]', 'the files')
    .option(...FOLDER)
    .addHelpText(
      'after',
      '\nWhat has no effect is a line that begins with `note:`; it is no fault.\nExit codes: 0 they can be used; 1 they have faults, one line each with file and line; 2 called wrongly.',
    )
    .action(validateAgents);
  registerAgentEdits(agents, FOLDER, userInfo().username);
}
