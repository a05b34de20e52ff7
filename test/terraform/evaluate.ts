// Evaluates the variables and settings of deploy/terraform for the examples, without a provider and without a
// network, and reads the evaluations that are checked in.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Value } from './expand.ts';
import { type Block, parseHcl } from './hcl.ts';

/** Folders of deploy/terraform/examples. */
export const EXAMPLES = [
  'trial',
  'production',
  'private-network',
  'custom-domain',
  'other-projects',
] as const;
/** The name of an example. */
export type Example = (typeof EXAMPLES)[number];
/** The example whose evaluation is stored whole; the others' files have only the outputs that differ. */
const BASE: Example = 'trial';
/** Writes the evaluations of all examples. */
export const UPDATE_COMMAND = 'npm run update-terraform';

/** The evaluated outputs of settings/ by name. */
export type Settings = Record<string, Value>;

const ROOT = new URL('../../', import.meta.url);
export const MODULE = new URL('deploy/terraform/', ROOT);
const fileOf = (example: Example) => new URL(`evaluated/${example}.json`, import.meta.url);
const manifestOf = (example: Example) =>
  new URL(`samples/${example === 'production' ? 'with-secrets' : 'default'}.json`, import.meta.url);

/** Values of the examples' variables. Paths are relative, so that no evaluation has the path of a machine. */
const INPUTS: Record<string, string> = {
  project: '"my-project"',
  project_number: '"123456789012"',
  region: '"europe-west1"',
  archive: '"inquest-0123456789abcdef.tar.gz"',
  billing_account: '"012345-6789AB-CDEF01"',
  watched_project: '"watched-project"',
  watched_project_number: '"210987654321"',
  domain: '"inquest.example.com"',
  images: `{ for name in ["ingestAlert", "runIteration", "buryIteration", "sweep", "deliver", "ingestChange", "api", "console"] : name => "europe-west1-docker.pkg.dev/my-project/inquest/services@sha256:${'0'.repeat(64)}" }`,
};

/** The blocks of an example's main.tf. */
export function readExample(example: Example): Block[] {
  const path = `examples/${example}/main.tf`;
  return parseHcl(readFileSync(new URL(path, MODULE), 'utf8'), path);
}

/** A digest of all files and inputs that the evaluation of an example depends on. */
export function digestOf(example: Example): string {
  const files = [
    ...globSync(fileURLToPath(new URL('{main,variables,settings/*}.tf', MODULE))).sort(),
    fileURLToPath(new URL(`examples/${example}/main.tf`, MODULE)),
    fileURLToPath(new URL('firestore.indexes.json', ROOT)),
    fileURLToPath(new URL('firestore.rules', ROOT)),
    fileURLToPath(manifestOf(example)),
    fileURLToPath(import.meta.url),
  ];
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
}

/** An evaluation that is checked in. @throws Error when there is none. */
export function readEvaluation(example: Example): { digest: string; settings: Settings } {
  const read = (one: Example) =>
    JSON.parse(readFileSync(fileOf(one), 'utf8')) as { digest: string; settings: Settings };
  const { digest, settings } = read(example);
  return { digest, settings: { ...read(BASE).settings, ...settings } };
}

/** Evaluates all examples with `terraform`, which must be on the PATH, and stores them. */
export async function updateEvaluations(): Promise<void> {
  const evaluated = await evaluateExamples();
  for (const example of EXAMPLES) {
    const differs = ([name, value]: [string, Value]) =>
      example === BASE || JSON.stringify(value) !== JSON.stringify(evaluated[BASE][name]);
    const stored = {
      writtenBy: UPDATE_COMMAND,
      digest: digestOf(example),
      settings: Object.fromEntries(Object.entries(evaluated[example]).filter(differs)),
    };
    await writeFile(fileOf(example), `${JSON.stringify(stored, null, 1)}\n`);
  }
}

/**
 * Evaluates the examples with `terraform`, in one plan: each call of the module becomes a call of its part
 * without resources (`writeModule`) with the same arguments.
 * @throws Error with the output of terraform when it fails.
 */
export async function evaluateExamples(): Promise<Record<Example, Settings>> {
  const evaluated = await evaluate((folder) => EXAMPLES.map((one) => exampleCall(one, folder)).join('\n'));
  return evaluated as Record<Example, Settings>;
}

/**
 * Evaluates calls of the module's part without resources with `terraform`, in one plan.
 * @param calls for each, the inputs that differ from the smallest ones, as expressions: `{ tier:
 * '"production"' }`.
 * @throws Error with the output of terraform when an input is refused. It has the refusals of all calls.
 */
export async function evaluateInputs<Name extends string>(
  calls: Record<Name, Record<string, string>>,
): Promise<Record<Name, Settings>> {
  const evaluated = await evaluate((folder) => {
    const { project, project_number, region, archive } = INPUTS;
    const manifest = pathFrom(folder, manifestOf('production'));
    const smallest = { project, project_number, region, archive, manifest };
    const texts = Object.entries<Record<string, string>>(calls).map(([name, inputs]) =>
      callText(name, Object.entries({ ...smallest, ...inputs })),
    );
    return texts.join('\n');
  });
  return evaluated as Record<Name, Settings>;
}

/**
 * Writes the part of the module without resources: its variables, and the call of settings/ with its outputs.
 */
async function writeModule(folder: string): Promise<void> {
  const copy = join(folder, 'module');
  await mkdir(copy);
  const read = (name: string) => readFileSync(new URL(name, MODULE), 'utf8');
  const source = pathFrom(copy, new URL('settings', MODULE));
  const output = 'output "settings" {\n  value = module.settings\n}\n';
  await writeFile(join(copy, 'main.tf'), read('main.tf').replace('"./settings"', source) + output);
  await writeFile(join(copy, 'variables.tf'), read('variables.tf'));
}

async function evaluate(write: (folder: string) => string): Promise<Record<string, Settings>> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'inquest-settings-')));
  try {
    await writeModule(folder);
    await writeFile(join(folder, 'main.tf'), write(folder));
    await terraform(folder, 'init', '-input=false', '-no-color');
    await terraform(folder, 'plan', '-input=false', '-no-color', '-out=plan');
    const shown = JSON.parse(await terraform(folder, 'show', '-json', 'plan')) as {
      planned_values: { outputs: Record<string, { value: Settings }> };
    };
    const { outputs } = shown.planned_values;
    return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The call of an example. Its variables and locals become locals, whose names start with the example's. */
function exampleCall(example: Example, folder: string): string {
  const blocks = readExample(example);
  const call = blocks.find(({ type }) => type === 'module');
  if (call === undefined) throw new Error(`${example} does not call the module`);
  const inputs: Record<string, string> = { ...INPUTS, manifest: pathFrom(folder, manifestOf(example)) };
  const variables = blocks
    .filter(({ type }) => type === 'variable')
    .map(({ labels: [name = ''] }) => `  ${example}_${name} = ${inputs[name] ?? 'null'}`);
  const locals = blocks
    .filter(({ type }) => type === 'locals')
    .flatMap((block) => Object.entries(block.arguments))
    .map(([name, { text }]) => `  ${example}_${name} = ${text}`);
  const passed = Object.entries(call.arguments)
    .filter(([name]) => name !== 'source' && name !== 'depends_on')
    .map(([name, { text }]) => [name, text] as const);
  const lines = ['locals {', ...variables, ...locals, '}', callText(example, passed)];
  return lines.join('\n').replaceAll(/\b(?:var|local)\.(\w+)/g, `local.${example}_$1`);
}

function callText(name: string, inputs: Iterable<readonly [string, string | undefined]>): string {
  const lines = [...inputs].map(([input, text]) => `  ${input} = ${text}`);
  return [
    `module "${name}" {`,
    '  source = "./module"',
    ...lines,
    '}',
    `output "${name}" {`,
    `  value = module.${name}.settings`,
    '}',
  ].join('\n');
}

/** A relative path as an expression: an absolute path would be copied, or be part of the evaluation. */
const pathFrom = (folder: string, url: URL): string => JSON.stringify(relative(folder, fileURLToPath(url)));

/** Whether `terraform` is on the PATH. @throws Error when it is not and REQUIRE_TERRAFORM is set. */
export async function hasTerraform(): Promise<boolean> {
  try {
    await terraform(tmpdir(), 'version');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (process.env.REQUIRE_TERRAFORM) throw new Error('terraform is not on the PATH', { cause: error });
    return false;
  }
}

/** Runs `terraform` in a folder, without the settings of the user. */
export async function terraform(folder: string, ...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    TF_CLI_CONFIG_FILE: '/dev/null',
    CHECKPOINT_DISABLE: '1',
    TF_IN_AUTOMATION: '1',
  };
  const { stdout } = await promisify(execFile)('terraform', args, { cwd: folder, env, maxBuffer: 2 ** 26 });
  return stdout;
}
