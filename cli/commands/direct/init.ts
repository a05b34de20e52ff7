// `init`: writes a configuration for own alerts and systems, checks it, and lists found tools.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { confirm } from '@clack/prompts';
import { type Command, Option } from 'commander';
import { findExample } from '../../../local/examples.ts';
import { realModel } from '../../../local/model.ts';
import { shortPath } from '../../../local/processes/shortPath.ts';
import { ConfigError } from '../../../shared/config/configError.ts';
import { TEST_ALERT } from '../../../shared/config/testAlert.ts';
import { describeExpected } from '../../../shared/text/suggest.ts';
import {
  askAnswers,
  type Dialog,
  isWebAddress,
  type KnownAnswers,
  uncancelled,
} from '../../init/askAnswers.ts';
import { RESULT_NAMES, type ResultName, resultPlace } from '../../init/resultPlaces.ts';
import { ALERT_SOURCES, type AlertSource, SOURCE_NAMES, type SourceName } from '../../init/sources.ts';
import {
  type Answers,
  applyAnswers,
  readAnswers,
  usedVariables,
  VERTEX_VARIABLE,
} from '../../init/writeConfig.ts';
import { editFolder, readVariables } from '../../packs/folderEdit.ts';
import { packNames, readPack } from '../../packs/pack.ts';
import { interruptSignal, STOP_DEADLINE_MS } from '../../process/interrupt.ts';
import { loadVariables } from '../../process/loadVariables.ts';
import { write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { inspectServers, readConfig } from '../../system/inspectConfig.ts';
import { investigateExample } from './demo.ts';

const HELP = `
Asks where alerts come from, what agents can observe, which model answers, where results go, and which Inquest gets
the alerts; options answer without a
question, and --yes takes the default of each. Nothing is written before the last answer, and nothing outside the folder.
Keys and secrets go to FOLDER/.env, which .gitignore excludes; their defaults come from the environment. A second run adds
what is missing and changes only answers that differ; it removes nothing.

Then checks the configuration, starts or asks its MCP servers, lists their tools, makes one read-only call to the system behind
each server of a pack, and prints the lines to paste at the source of alerts.

Exit codes: 0 written, and all servers and the systems behind them answer; 1 faults in the configuration, or no answer;
2 wrong usage; 130 interrupted by Ctrl-C: at a question nothing is written, after "written" the whole configuration is there.`;

/** Where alerts reach the API of \`inquest start\`, if a tunnel does not lead elsewhere. */
const HERE = 'http://ADDRESS-OF-THE-API';

interface InitOptions {
  alerts?: SourceName;
  observe?: string[];
  model?: Answers['model'];
  results?: ResultName;
  url?: string;
  set: Record<string, string>;
  yes?: boolean;
  check: boolean;
  test?: boolean;
  recipe?: boolean;
}

/** Adds the command to the program. */
export function registerInit(program: Command): void {
  program
    .command('init')
    .argument('[folder]', 'the folder of the configuration', 'my-config')
    .addOption(new Option('--alerts <source>', 'where alerts come from').choices(SOURCE_NAMES))
    .option('--observe <packs>', `what agents can observe, with commas: ${packNames().join(', ')}`, (text) =>
      text.split(',').map((name) => name.trim()),
    )
    .option(
      '--set <name=value>',
      'a setting of a pack; repeatable. Give secrets in the environment instead',
      collectAnswer,
      {},
    )
    .addOption(new Option('--model <api>', 'the API of the model').choices(['gemini', 'vertex']))
    .addOption(
      new Option('--results <place>', 'where results go, beside the dashboard').choices(RESULT_NAMES),
    )
    .option('--url <address>', 'the deployed Inquest that gets the alerts (default: the one of this machine)')
    .option('-y, --yes', 'take the default of every question')
    .option('--no-check', 'only write the files')
    .option('--test', 'investigate a test alert afterwards')
    .option('--recipe', 'only print the lines to paste at the source of alerts')
    .addHelpText('after', HELP)
    .action(initConfig);
}

function collectAnswer(text: string, earlier: Record<string, string>): Record<string, string> {
  const [, name = '', value = ''] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(text) ?? [];
  if (name === '') throw new UsageError(`--set needs NAME=VALUE, not ${JSON.stringify(text)}`);
  return { ...earlier, [name]: value };
}

async function initConfig(folder: string, options: InitOptions): Promise<void> {
  const edit = editFolder(folder);
  const earlier = readAnswers(edit, packNames().map(readPack));
  const dialog = openInitDialog(options);
  const answers = await askAnswers(
    {
      given: givenAnswers(options),
      usual: {
        alerts: SOURCE_NAMES.find((name) => name === earlier.alerts) ?? 'alertmanager',
        packs: earlier.packs.length > 0 ? earlier.packs : ['prometheus'],
        model: earlier.variables[VERTEX_VARIABLE] === 'true' ? 'vertex' : 'gemini',
        results: earlier.results,
        system: earlier.url === undefined ? 'here' : { url: earlier.url },
      },
      set: options.set,
      variables: { ...process.env, ...withoutEmpty(earlier.variables) },
    },
    options.recipe ? undefined : dialog,
  );
  if (options.recipe) return writeRecipe(answers);
  const used = usedVariables(answers);
  for (const name of Object.keys(options.set))
    if (!used.includes(name))
      throw new UsageError(`--set ${name}: no answer uses this variable; ${describeExpected(name, used)}`);
  const added = applyAnswers(edit, answers);
  const changed = edit.changed();
  edit.save();
  for (const line of added) write(`added      ${line}`);
  write(`written    ${changed.length === 0 ? 'nothing: no answer differs' : changed.join(', ')}`);
  if (options.check && !(await checkFolder(folder))) process.exitCode = 1;
  write('');
  writeRecipe(answers);
  write('');
  for (const line of nextSteps(folder, answers)) write(line);
  if (await wantsTest(options, dialog)) await sendTest(folder);
}

/** The terminal; undefined without questions. @throws UsageError without --yes and terminal. */
function openInitDialog({ yes, recipe }: InitOptions): Dialog | undefined {
  if (yes || recipe) return undefined;
  const { stdin: input, stdout: output } = process;
  if (!(input.isTTY && output.isTTY)) throw new UsageError('there is no terminal to ask on: add --yes');
  return { input, output };
}

function givenAnswers({ alerts, observe, model, results, url }: InitOptions): KnownAnswers['given'] {
  if (url !== undefined && !isWebAddress(url))
    throw new UsageError('--url must be an address such as https://…');
  return {
    ...(alerts && { alerts }),
    ...(observe && { packs: observe }),
    ...(model && { model }),
    ...(results && { results }),
    ...(url && { system: { url: url.replace(/\/$/, '') } }),
  };
}

const withoutEmpty = (variables: Record<string, string>) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));

/** Checks the configuration and lists its tools. Returns whether everything answers. */
async function checkFolder(folder: string): Promise<boolean> {
  const signal = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  loadVariables(folder, process.env);
  try {
    const config = readConfig(folder, process.env);
    const { tools, systems, faults, unreachable } = await inspectServers(folder, config, process.env, signal);
    for (const [name, offered] of tools)
      write(`server     ${name}: ${offered.length} tools: ${offered.join(', ')}`);
    for (const { system } of systems) write(`answers    ${system}`);
    const found = [...faults, ...unreachable];
    if (found.length > 0) throw new ConfigError(found);
    write('checked    the configuration is valid, and its servers and the systems behind them answer');
    return true;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    write(error.message);
    return false;
  }
}

function writeRecipe({ alerts, system }: Answers): void {
  const { title, recipe }: AlertSource = ALERT_SOURCES[alerts];
  write(`${title}\n\n${recipe(system === 'here' ? HERE : system.url)}`);
}

function nextSteps(folder: string, answers: Answers): string[] {
  const { model, results, system } = answers;
  const place = shortPath(resolve(folder));
  const key = model === 'gemini' ? 'GEMINI_API_KEY' : 'GOOGLE_CLOUD_PROJECT';
  const models = ['GEMINI_API_KEY', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION'];
  const servers = answers.packs.flatMap((pack) => pack.servers.map(({ yaml }) => yaml)).join('\n');
  const others = usedVariables({ ...answers, results: 'none' }).filter(
    (name) => !models.includes(name) && !servers.includes(`\${${name}:-`),
  );
  const missing = [...withoutValue(folder, others), ...(realModel(process.env) === undefined ? [key] : [])];
  return [
    ...resultSteps(folder, results),
    ...(missing.length > 0 ? [`Set ${missing.join(', ')} in ${place}/.env. Then:`] : ['Then:']),
    `  INQUEST_CONFIG=${place} npx --no inquest start`,
    ...(system === 'here'
      ? [
          '  its line "API" has the address for the source, without /v1; shared/features/webhooks/README.md has what a tunnel needs',
        ]
      : [`  and to deploy this configuration: npx --no inquest deploy (docs/deploy.md)`]),
    `  npx --no inquest send ${place}/${TEST_ALERT} --url ADDRESS sends a test alert`,
  ];
}

/** The variables that have a value neither in the environment nor in the folder's .env. */
function withoutValue(folder: string, names: readonly string[]): string[] {
  const set = readVariables(editFolder(folder));
  return names.filter((name) => !(process.env[name] || set[name]));
}

/** Names the variables that the destination needs and that have no value, and the command that tries it. */
function resultSteps(folder: string, results: ResultName): string[] {
  const { title, setting, secret } = resultPlace(results) ?? {};
  if (title === undefined) return [];
  const place = shortPath(resolve(folder));
  const names = [setting?.name, secret?.name].filter((name) => name !== undefined);
  const missing = withoutValue(folder, names);
  return [
    `Results go to ${title}, by ${names.join(' and ')} in ${place}/.env (shared/features/deliveries/README.md).`,
    ...(missing.length > 0 ? [`Set ${missing.join(' and ')} there first.`] : []),
    `  INQUEST_CONFIG=${place} npx --no inquest notify test ${results} sends a test message`,
    '',
  ];
}

async function wantsTest({ test, check }: InitOptions, dialog: Dialog | undefined): Promise<boolean> {
  if (test || dialog === undefined || !check) return test === true;
  if (realModel(process.env) === undefined) return false;
  return uncancelled(
    await confirm({ message: 'Investigate a test alert now?', initialValue: false, ...dialog }),
  );
}

/** Runs the system with the new configuration, and investigates its test alert. */
async function sendTest(folder: string): Promise<void> {
  process.env.INQUEST_CONFIG = folder;
  const example = { ...findExample('crashloop'), alertFile: join(folder, TEST_ALERT), configFolder: folder };
  if (!existsSync(example.alertFile)) throw new UsageError(`there is no ${example.alertFile}`);
  await investigateExample(example, {});
}
