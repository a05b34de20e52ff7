// Turns answers of `inquest init` into changes of a configuration folder; existing ones change nothing.

import { parseDocument } from 'yaml';
import { TEST_ALERT } from '../../shared/config/testAlert.ts';
import { addPack, entryNames } from '../packs/addPack.ts';
import { type FolderEdit, readVariables, setVariable } from '../packs/folderEdit.ts';
import { indentLines, insertYaml } from '../packs/insertYaml.ts';
import type { Pack } from '../packs/pack.ts';
import { RESULT_NAMES, type ResultName, resultPlace } from './resultPlaces.ts';
import { ALERT_SOURCES, type AlertSource, newSecret, type SourceName } from './sources.ts';

/** Sends requests to Vertex AI instead of the Gemini API. */
export const VERTEX_VARIABLE = 'GOOGLE_GENAI_USE_VERTEXAI';
/** The address of a deployed Inquest. */
const URL_VARIABLE = 'INQUEST_URL';

/** The answers of the user. */
export interface Answers {
  /** Where alerts come from. */
  alerts: SourceName;
  /** The systems that agents can observe; at least one. */
  packs: Pack[];
  /** Values of the packs' settings, and the key or the project of the model, by variable. */
  variables: Record<string, string>;
  /** Where results go, beside the dashboard. */
  results: ResultName;
  /** Which Inquest gets the alerts: this machine's, or the deployed one at this address. */
  system: 'here' | { url: string };
  /** Which API answers. */
  model: 'gemini' | 'vertex';
}

const MODELS = `# The models that agents can use. docs/configuration.md lists all keys.
default: flash
models:
  flash:
    provider: google
    model: gemini-3.8-flash
    thinkingLevel: medium # minimal, low, medium, high
`;

const SERVERS = `# MCP servers. Agents are offered the tools under readOnly, and no other; docs/configuration.md lists all keys.
# \${NAME} is replaced from the environment, and on one machine from .env beside this file.
`;

const AGENTS = `# The agents: instructions, and which tools they can call. docs/agents.md lists all keys.
`;

const WEBHOOKS = `# The sources whose webhooks are accepted, with the variable that holds their secret. shared/features/webhooks/README.md lists all keys.
`;

const DESTINATIONS = `# Where results go; notify in chains.yaml selects it. shared/features/deliveries/README.md lists all keys.
`;

const chainsText = ({
  agentName,
  name,
}: Pack): string => `# Which agents work on an alert. docs/chains.md lists all keys.
default: investigate
chains:
  investigate:
    # Agents state hypotheses and evidence, and code decides the verdict; off leaves out one call a session.
    ledger: on
    # The first runbook that exists: runbooks/ALERTNAME.md of the alert, else the general one of a pack.
    runbook:
      - "\${labels.alertname}"
      - ${name}
    stages:
      - name: investigation
        # They work side by side; with several, a synthesis combines their findings.
        agents:
          - ${agentName}
`;

/** The variables that the answers use. */
export function usedVariables({ alerts, packs, model, results }: Answers): string[] {
  const { secretEnv }: AlertSource = ALERT_SOURCES[alerts];
  const { setting, secret } = resultPlace(results) ?? {};
  const google = ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION'];
  const own = packs.flatMap(({ settings }) => Object.keys(settings));
  const others = [secretEnv, setting?.name, secret?.name].filter((name) => name !== undefined);
  return [...own, ...(model === 'gemini' ? ['GEMINI_API_KEY'] : google), ...others];
}

/**
 * Applies the answers. Adds missing files and changes variables whose answer differs; removes nothing.
 * @returns a line for each addition.
 * @throws UsageError for a file of the user that cannot be extended.
 */
export function applyAnswers(edit: FolderEdit, answers: Answers): string[] {
  const added: string[] = [];
  const { packs, alerts, results } = answers;
  createFile(edit, 'models.yaml', MODELS);
  createFile(edit, 'servers.yaml', SERVERS);
  createFile(edit, 'agents.yaml', AGENTS);
  for (const pack of packs) added.push(...addPack(edit, pack));
  addToChain(edit, packs);
  addWebhook(edit, alerts);
  addDestination(edit, results);
  setVariables(edit, answers);
  ignoreVariables(edit);
  createFile(edit, TEST_ALERT, testAlert());
  return added;
}

function createFile(edit: FolderEdit, path: string, text: string): void {
  if (!edit.has(path)) edit.set(path, text);
}

/** Gives the default chain the agents of all packs. A chain that the user has rewritten keeps its form. */
function addToChain(edit: FolderEdit, packs: Pack[]): void {
  const [first] = packs;
  const isCreated = first !== undefined && !edit.has('chains.yaml');
  if (isCreated) createFile(edit, 'chains.yaml', chainsText(first));
  for (const pack of packs) {
    const text = edit.read('chains.yaml');
    const stage = ['chains', String(parseDocument(text).get('default')), 'stages', '0'];
    const isNew = !text.includes(pack.agentName);
    if (isNew)
      edit.set('chains.yaml', insertYaml('chains.yaml', text, [...stage, 'agents'], `- ${pack.agentName}`));
    // The chain of the first pack is new as well.
    if (isNew || (isCreated && pack === first)) addCollect(edit, stage, pack);
  }
}

function addCollect(edit: FolderEdit, stage: readonly string[], { collect }: Pack): void {
  if (collect.length === 0) return;
  const text = edit.read('chains.yaml');
  const lines = collect
    .map(({ tool, arguments: args }) => `- tool: ${tool}\n  arguments: ${JSON.stringify(args)}`)
    .join('\n');
  const changed = parseDocument(text).hasIn([...stage, 'collect'])
    ? insertYaml('chains.yaml', text, [...stage, 'collect'], lines)
    : insertYaml('chains.yaml', text, stage, `collect:\n${indentLines(lines, 2)}`);
  edit.set('chains.yaml', changed);
}

function addWebhook(edit: FolderEdit, name: SourceName): void {
  const { secretEnv }: AlertSource = ALERT_SOURCES[name];
  if (secretEnv === undefined) return;
  createFile(edit, 'webhooks.yaml', WEBHOOKS);
  if (webhookSources(edit).includes(name)) return;
  edit.set('webhooks.yaml', `${edit.read('webhooks.yaml')}${name}:\n  secretEnv: ${secretEnv}\n`);
}

/** Adds the destination, and sends the results of the default chain to it. */
function addDestination(edit: FolderEdit, name: ResultName): void {
  const place = resultPlace(name);
  if (place === undefined || entryNames(edit, 'destinations').includes(name)) return;
  createFile(edit, 'destinations.yaml', DESTINATIONS);
  const entry = `${name}:\n${indentLines(place.entry, 2)}`;
  edit.set(
    'destinations.yaml',
    insertYaml('destinations.yaml', edit.read('destinations.yaml'), ['destinations'], entry),
  );
  const text = edit.read('chains.yaml');
  const document = parseDocument(text);
  const chain = ['chains', String(document.get('default'))];
  const line = `- to: ${name}`;
  const changed = document.hasIn([...chain, 'notify'])
    ? insertYaml('chains.yaml', text, [...chain, 'notify'], line)
    : insertYaml('chains.yaml', text, chain, `notify:\n${indentLines(line, 2)}`);
  edit.set('chains.yaml', changed);
}

function webhookSources(edit: Pick<FolderEdit, 'read'>): string[] {
  return Object.keys(parseDocument(edit.read('webhooks.yaml')).toJS() ?? {});
}

function setVariables(edit: FolderEdit, { alerts, packs, variables, results, system, model }: Answers): void {
  const known = readVariables(edit);
  const set = (name: string, value: string, comment: string) => setVariable(edit, name, value, comment);
  for (const { name: pack, settings } of packs)
    for (const [name, { description }] of Object.entries(settings))
      if (variables[name] !== undefined) set(name, variables[name], `${pack}: ${description}`);
  if (model === 'gemini') set('GEMINI_API_KEY', variables.GEMINI_API_KEY ?? '', 'Key of the Gemini API');
  else {
    set('GOOGLE_CLOUD_PROJECT', variables.GOOGLE_CLOUD_PROJECT ?? '', 'Project whose Vertex AI answers');
    set('GOOGLE_CLOUD_LOCATION', variables.GOOGLE_CLOUD_LOCATION ?? 'global', 'Location of Vertex AI');
  }
  if (model === 'vertex' || known[VERTEX_VARIABLE] !== undefined)
    set(VERTEX_VARIABLE, String(model === 'vertex'), 'Gemini through Vertex AI');
  const { title, secretEnv, makesSecret }: AlertSource = ALERT_SOURCES[alerts];
  const isNew = (name: string) => known[name] === undefined || variables[name] !== undefined;
  if (secretEnv !== undefined && isNew(secretEnv)) {
    const value = variables[secretEnv] ?? (makesSecret ? '' : newSecret());
    set(secretEnv, value, `Secret of the webhooks of ${title}`);
  }
  const { setting, secret } = resultPlace(results) ?? {};
  if (setting !== undefined) set(setting.name, variables[setting.name] ?? '', setting.description);
  if (secret !== undefined && isNew(secret.name))
    set(secret.name, variables[secret.name] ?? secret.make?.() ?? '', secret.description);
  if (system !== 'here') set(URL_VARIABLE, system.url, 'The deployed Inquest');
}

/** Ignores the file of secrets, and the one beside it that an interrupted run leaves. */
function ignoreVariables(edit: FolderEdit): void {
  const text = edit.read('.gitignore');
  const lines = text.split('\n').map((line) => line.trim().replace(/^\//, ''));
  const missing = ['.env', '.env.new'].filter((name) => !lines.includes(name) && !lines.includes('.env*'));
  if (missing.length === 0) return;
  const kept = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  edit.set('.gitignore', `${kept}${missing.join('\n')}\n`);
}

function testAlert(): string {
  const alert = {
    title: 'Test alert of inquest init',
    severity: 'info',
    message:
      'Nothing is broken. Check that your tools answer, and name in five lines the values that they return.',
    labels: { alertname: 'InquestTest' },
  };
  return `${JSON.stringify(alert, null, 2)}\n`;
}

/** The answers that a folder has, for a second run; absent ones were not given yet. */
export function readAnswers(
  edit: FolderEdit,
  known: readonly Pack[],
): {
  alerts?: string;
  packs: string[];
  variables: Record<string, string>;
  results: ResultName;
  url?: string;
} {
  const variables = readVariables(edit);
  const { [URL_VARIABLE]: url } = variables;
  const alerts = webhookSources(edit).at(-1);
  const agents = entryNames(edit, 'agents');
  const packs = known.filter(({ agentName }) => agents.includes(agentName)).map(({ name }) => name);
  const places = entryNames(edit, 'destinations');
  const results = RESULT_NAMES.findLast((name) => places.includes(name)) ?? 'none';
  return { packs, variables, results, ...(alerts !== undefined && { alerts }), ...(url && { url }) };
}
