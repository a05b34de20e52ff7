// Runs Terraform or OpenTofu.

import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { asArray, asObject, asText, parseJson } from '../../shared/text/json.ts';
import type { Target } from './target.ts';
import { findDeployProblem } from './terraformErrors.ts';

const BINARIES = ['terraform', 'tofu'] as const;
/** The oldest version that runs the module, and the newest of Infrastructure Manager. */
const OLDEST = [1, 5, 7] as const;
/** A short wait for the lock, so that two deployments in CI follow each other. */
const LOCK = '-lock-timeout=60s';
const PLAN_FILE = 'plan.tfplan';

/** A binary that is on the PATH. */
export interface Terraform {
  /** `terraform` or `tofu`. */
  name: (typeof BINARIES)[number];
  version: string;
  /** Initialises the folder. Downloads the providers. */
  init(): Promise<void>;
  /**
   * Makes a plan, which `apply` applies.
   * @param options.isDestroy whether it deletes everything.
   * @param options.isApplied whether it can be applied. Otherwise the state is only read, without its lock.
   * @returns the plan as JSON of Terraform: `resource_changes` and `output_changes`.
   */
  plan(options: { isDestroy: boolean; isApplied: boolean }): Promise<PlanJson>;
  /** Applies the plan. */
  apply(): Promise<void>;
  /** The outputs of the module, by name. Empty before the first apply. */
  outputs(): Promise<Record<string, unknown>>;
}

/** The part of `terraform show -json` that the command reads. */
export interface PlanJson {
  resource_changes: { address: string; type: string; change: { actions: string[] } }[];
}

/** How the binary is run. */
interface RunOptions {
  target: Target;
  env: NodeJS.ProcessEnv;
  /** Receives each line of Terraform's progress. */
  onLine: (line: string) => void;
  /** Interrupts Terraform once, so that it ends in order and saves its state. */
  signal: AbortSignal;
}

/**
 * The environment of Terraform. With the credentials of a user, the API of budgets needs a project for its
 * quota.
 * @param settings variables of `deploy.tfvars.json`.
 */
export function terraformEnv(
  env: NodeJS.ProcessEnv,
  { project }: Pick<Target, 'project'>,
  settings: Record<string, unknown>,
): NodeJS.ProcessEnv {
  if (settings.budget === undefined) return env;
  return { GOOGLE_BILLING_PROJECT: project, USER_PROJECT_OVERRIDE: 'true', ...env };
}

/**
 * The binary to use: `terraform`, else `tofu`; undefined when neither is on the PATH.
 * All methods throw an Error whose message names the cause and the fix, where both are known.
 * @throws Error when it is older than the module supports.
 */
export async function findTerraform(options: RunOptions): Promise<Terraform | undefined> {
  const name = BINARIES.find((binary) => isOnPath(binary, options.env));
  if (name === undefined) return undefined;
  const { stdout } = await runTerraform(name, ['version', '-json'], { ...options, onLine: () => {} });
  const version = asText(asObject(parseJson(stdout)).terraform_version) ?? 'unknown';
  if (isOlder(version))
    throw new Error(
      `${name} ${version} is too old: install ${OLDEST.join('.')} or later, or deploy from Cloud Shell`,
    );
  const inFolder = (args: string[], onLine = options.onLine) =>
    runTerraform(name, [`-chdir=${options.target.folder}`, ...args], { ...options, onLine });
  return {
    name,
    version,
    // The bucket of the state can differ from that of the previous run in this folder.
    init: async () => void (await inFolder(['init', '-input=false', '-no-color', '-reconfigure'])),
    async plan({ isDestroy, isApplied }) {
      const flags = [isApplied ? LOCK : '-lock=false', ...(isDestroy ? ['-destroy'] : [])];
      await inFolder(['plan', '-input=false', '-no-color', `-out=${PLAN_FILE}`, ...flags]);
      const { stdout } = await inFolder(['show', '-json', '-no-color', PLAN_FILE], () => {});
      const changes = asArray(asObject(parseJson(stdout)).resource_changes);
      return { resource_changes: changes as PlanJson['resource_changes'] };
    },
    apply: async () => void (await inFolder(['apply', '-input=false', '-no-color', LOCK, PLAN_FILE])),
    async outputs() {
      const { stdout } = await inFolder(['output', '-json', '-no-color'], () => {});
      const entries = Object.entries(asObject(parseJson(stdout)));
      return Object.fromEntries(entries.map(([output, value]) => [output, asObject(value).value]));
    },
  };
}

function isOnPath(binary: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  return PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, binary), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

function isOlder(version: string): boolean {
  const parts = version.split(/[.-]/).map(Number);
  for (const [index, oldest] of OLDEST.entries()) {
    const part = parts[index] ?? 0;
    if (part !== oldest) return !(part > oldest);
  }
  return false;
}

/** @throws Error when the process fails: the known problem with its fix, else the end of its output. */
async function runTerraform(
  name: Terraform['name'],
  args: string[],
  { env, onLine, signal, target }: RunOptions,
): Promise<{ stdout: string }> {
  signal.throwIfAborted();
  const child = spawn(name, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, TF_IN_AUTOMATION: '1', TF_INPUT: '0' },
    // In its own group: a second interrupt would end Terraform without saving the state.
    detached: true,
  });
  const interrupt = () => void child.kill('SIGINT');
  signal.addEventListener('abort', interrupt, { once: true });
  const written = { stdout: '', stderr: '' };
  let line = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    written.stdout += chunk;
    const lines = (line + chunk).split('\n');
    line = lines.pop() ?? '';
    for (const one of lines) onLine(one);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    written.stderr += chunk;
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code === 0) return { stdout: written.stdout };
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
  // The notice of an interrupt is in the output, not in the errors.
  const output = signal.aborted ? `Interrupt received ${written.stderr}` : written.stderr;
  const problem = findDeployProblem(output, { ...target, binary: name, now: new Date() });
  const text = written.stderr.trim().split('\n').slice(-40).join('\n');
  const command = `${name} ${args.find((arg) => !arg.startsWith('-'))}`;
  if (problem === undefined) throw new Error(`${command} failed:\n${text}`);
  throw new Error(`${command}: ${problem.cause}\n  fix: ${problem.fix}\n${text}`);
}
