// `agents`: the agents of a configuration and of the store, in the notation of agents/NAME.yaml.

import { userInfo } from 'node:os';
import type { Command } from 'commander';

import { urlOption } from '../options/commandOptions.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { registerAgentEdits } from './agents/edit.ts';
import { printAgents, showAgent, validateAgents } from './agents/read.ts';

const FOLDER: [string, string] = [
  '--config <folder>',
  'the configuration (default: INQUEST_CONFIG, else config/)',
];

const STORE_HELP = `
An agent in the store replaces the one of the same name in the configuration's files. It is read when a session is opened or
an agent is asked. Instances cache it for up to 300 s, and open sessions keep their agents. If the environment names no
database, only the files are read.`;

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
    .action(printAgents);
  agents
    .command('show')
    .description('print an agent: from the store, else from the files')
    .argument('<name>', 'of the agent')
    .option(...FOLDER)
    .addOption(urlOption())
    .option('--prompt', 'print its prompt instead, as sent to the model')
    .option('--structured', 'with --prompt: the prompt for structured output')
    .addHelpText('after', `${STORE_HELP}\n${DATABASE_HELP}`)
    .action(showAgent);
  agents
    .command('validate')
    .description('check files like agents/NAME.yaml against the configuration; without files its own agents')
    .argument('[files...]', 'the files')
    .option(...FOLDER)
    .addHelpText(
      'after',
      '\nA setting without effect is reported in a line that starts with `note:`; it is no fault.\nExit codes: 0 valid; 1 faults, one line each with file and line; 2 wrong usage.',
    )
    .action(validateAgents);
  registerAgentEdits(agents, FOLDER, userInfo().username);
}
