// `deploy`: builds a release, and deploys it to a Google Cloud project with Terraform or OpenTofu.

import { buffer } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { errorMessage } from '../../../shared/core/errors.ts';
import { systemClock } from '../../../shared/core/kernel/deps.ts';
import { DEFAULT_TENANT } from '../../../shared/core/schema/session.ts';
import { createLogger } from '../../../shared/log.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import { openCloud } from '../../../shared/wiring/openCloud.ts';
import { parseAlertInput } from '../../alert/alertInput.ts';
import { sendAlert } from '../../alert/sendAlert.ts';
import { withApi } from '../../api/withApi.ts';
import { TIERS, type Tier } from '../../deploy/buckets.ts';
import { buildRelease, readBuilt } from '../../deploy/buildRelease.ts';
import { resolveDeployedConfig } from '../../deploy/configFolder.ts';
import { type DeployOutput, type DeployTools, deployRelease } from '../../deploy/deployment.ts';
import { destroyInstallation } from '../../deploy/destroy.ts';
import { checkMember, readDashboard } from '../../deploy/members.ts';
import { whilePaused } from '../../deploy/pause.ts';
import { rollbackRelease } from '../../deploy/rollback.ts';
import { addVersion } from '../../deploy/secrets.ts';
import {
  composeTargetEnvironment,
  DEFAULT_NAME,
  deployCommand,
  doctorCommand,
  resolveTarget,
  type Target,
  type TargetOptions,
} from '../../deploy/target.ts';
import { findTerraform, terraformEnv } from '../../deploy/terraform.ts';
import { problemOfError } from '../../deploy/terraformErrors.ts';
import { readSettings, SETTINGS_FILE, withDatabase } from '../../deploy/variables.ts';
import { cloudShellLines, WITHOUT_CREDENTIALS } from '../../deploy/withoutTerraform.ts';
import { openGoogleApi } from '../../google/googleApi.ts';
import { readName } from '../../options/readLine.ts';
import { printerFor } from '../../print/printerFor.ts';
import { askUser, isYes } from '../../process/ask.ts';
import { interruptSignal } from '../../process/interrupt.ts';
import { escapeHidden, printableText, report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

/** The chain of a test alert. It has no tools. */
const TEST_CHAIN = 'deployment-test';
/** From the alert to the analysis, with cold starts. */
const TEST_MS = 10 * 60_000;

const CREDENTIALS = `
Credentials are Google's Application Default Credentials: \`gcloud auth application-default login\`, those of Cloud Shell, or
Workload Identity Federation. gcloud is not called.`;

const HELP = `
Builds dist/, copies the module deploy/terraform to .inquest/deploy/PROJECT-NAME, and runs Terraform or OpenTofu there: plan,
summary, question, apply. Creates two private buckets before the first plan: one for Terraform's state, with versions, and one
for the archives of the last releases. \`--plan\` changes nothing in the project. Without either binary it prints the lines for
Cloud Shell and for Infrastructure Manager. ${SETTINGS_FILE} in the configuration folder holds further variables of the module.

A service whose secret has no value is not created; \`deploy secret NAME\` adds the value, and the next \`deploy\` creates the
service. Revisions get the number of a version, never the latest one.

The dashboard admits nobody without a role. Its first member is \`--member\`, else the person whose credentials these are, with the
role admin; later deployments keep them. \`console_members\` in ${SETTINGS_FILE} and access.yaml replace them. The last line is the
address that opens the dashboard.

\`--rollback\` deploys an earlier archive with the infrastructure of today: the one before the current, or the one whose digest
starts with the given characters. It refuses when the database holds documents that its code cannot read. \`--destroy\` deletes
everything of a trial, and refuses for production. The installation is paused while a release is applied that stores
other versions of documents. \`--test\` runs the chain ${TEST_CHAIN}, which has no tools.

The default configuration needs no secret: Gemini through Vertex AI, tools of Google Cloud for reading logs and metrics, and
a limit of tokens for each day (deploy/trial).
${CREDENTIALS}

Examples:
  npx --no inquest deploy --project my-project --region europe-west1 --plan
  npx --no inquest deploy --project my-project --region europe-west1 --test
  npx --no inquest doctor --deployed --project my-project --region europe-west1

Exit codes: 0 deployed, planned or deleted; 1 failure, not confirmed, or no binary to deploy with; 2 wrong usage.`;

interface DeployCommandOptions extends TargetOptions {
  dist?: string;
  tier?: Tier;
  plan?: boolean;
  destroy?: boolean;
  rollback?: string | true;
  member?: string;
  test?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Adds the command to the program. */
export function registerDeploy(program: Command): void {
  const deploy = program
    .command('deploy')
    .requiredOption('--project <id>', 'the Google Cloud project (required)')
    .requiredOption('--region <region>', 'the region of services and data, such as europe-west1 (required)')
    .option('--name <name>', 'the name of the installation: a project can have several', DEFAULT_NAME)
    .option('--config <folder>', 'the configuration (default: INQUEST_CONFIG, else deploy/trial)')
    .option(
      '--dist <folder>',
      'the folder that `build` wrote, instead of building: the same archive for several projects',
    )
    .addOption(
      new Option(
        '--tier <tier>',
        'trial: can be deleted as a whole; production: backups, protected against deletion (default: that of the installation, else trial)',
      ).choices(TIERS),
    )
    .addOption(new Option('--plan', 'print the plan and stop').conflicts(['destroy', 'rollback']))
    .addOption(new Option('--destroy', 'delete an installation of the tier trial').conflicts('rollback'))
    .option('--rollback [digest]', 'deploy an earlier release, and list the last 10')
    .option(
      '--member <email>',
      'the first member of the dashboard (default: the one of the last deployment, else you)',
    )
    .option('--test', 'send a test alert after the deployment, and print its analysis')
    .option('--state <bucket>', "gs://BUCKET for Terraform's state (default: gs://PROJECT-NAME-tfstate)")
    .option('--yes', 'apply without a question')
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', HELP)
    .action(deployCommandAction);
  deploy
    .command('secret')
    .description('add a value to a secret, from standard input')
    .argument('<name>', 'of the environment variable, such as PAGER_TOKEN')
    .addHelpText(
      'after',
      `\nTakes --project, --region, --name, --config and --state of \`deploy\`. A single line break at the end of the value is removed.\n${CREDENTIALS}`,
    )
    .action((name: string, _: object, command: Command) => addSecret(name, command.optsWithGlobals()));
}

async function deployCommandAction(options: DeployCommandOptions): Promise<void> {
  const named = resolveTarget(options, process.env);
  const folder = resolveDeployedConfig(named);
  const settings = readSettings(folder, named);
  const target = withDatabase(named, settings);
  if (options.test) checkTestChain(folder);
  const signal = interruptSignal();
  await withProblems(target, async () => {
    const output = createDeployOutput(options.json === true);
    const onLine = (line: string) => line !== '' && output.progress(line);
    const tools: DeployTools = {
      google: openGoogleApi(target.project, signal),
      target,
      terraform: await findTerraform({
        target,
        onLine,
        signal,
        env: terraformEnv(process.env, target, settings),
      }),
      output,
      confirm: async (question) => options.yes === true || isYes(await askUser(`${question} [y/N] `, signal)),
      whilePaused: (work) => pauseInstallation(target, output, signal, work),
      signal,
    };
    // Before the build, which takes a while.
    const { destroy = false, rollback, plan = false, tier, test } = options;
    const member = checkMember(options.member, settings);
    await tools.google.checkCredentials().catch((error: unknown) => {
      // Otherwise the user gets credentials, and learns only then that a binary is missing.
      if (!destroy) {
        const reason = tools.terraform === undefined ? undefined : WITHOUT_CREDENTIALS;
        const lines = cloudShellLines(target, { tier, test, member }, reason);
        output.event({ type: 'instructions', lines }, lines);
      }
      throw error;
    });
    if (destroy) return await destroyInstallation(tools, settings);
    const release =
      rollback === undefined
        ? await (options.dist === undefined
            ? buildRelease(folder, { onLine: output.progress, signal })
            : readBuilt(options.dist))
        : await rollbackRelease(tools, rollback === true ? undefined : rollback);
    const isDeployed = await deployRelease(tools, release, { tier, settings, planOnly: plan, test, member });
    if (!isDeployed) return plan;
    const isTested = !test || (await testDeployment(target, folder, options.json === true, signal));
    const { line, ...dashboard } = readDashboard((await tools.terraform?.outputs()) ?? {});
    output.event({ type: 'dashboard', ...dashboard }, [line]);
    return isTested;
  });
}

/** @throws UsageError when the configuration has no chain for a test alert. */
function checkTestChain(folder: string): void {
  const { chains } = loadSessionConfig(folder, EXTENSION_NAMES);
  if (chains[TEST_CHAIN] === undefined)
    throw new UsageError(
      `--test needs the chain ${TEST_CHAIN} in ${folder}: copy it and its agent from deploy/trial`,
    );
}

/** Sends a test alert, and prints its investigation. Returns whether it completed. */
async function testDeployment(
  target: Target,
  config: string,
  json: boolean,
  interrupted: AbortSignal,
): Promise<boolean> {
  // The title differs each time, so that the alert opens a session of its own.
  const title = `Test of the deployment ${target.name} at ${new Date().toISOString()}`;
  const alert = JSON.stringify({ title, severity: 'info', source: 'inquest deploy' });
  const input = parseAlertInput(Buffer.from(alert), 'the test alert');
  const late = AbortSignal.timeout(TEST_MS);
  try {
    return await withApi(
      {
        tenant: DEFAULT_TENANT,
        config,
        publishes: 'alerts',
        env: composeTargetEnvironment(target),
        signal: AbortSignal.any([interrupted, late]),
      },
      async (api, signal) => {
        const printer = printerFor({ json, tenant: DEFAULT_TENANT });
        const session = await sendAlert(
          input,
          { chain: TEST_CHAIN },
          { api, printer, onProgress: report, signal },
        );
        return session?.status === 'completed';
      },
    );
  } catch (error) {
    if (!late.aborted || interrupted.aborted) throw error;
    throw new Error(
      `the test alert has no analysis after ${TEST_MS / 60_000} minutes; \`${doctorCommand(target)}\` checks the installation`,
      { cause: error },
    );
  }
}

/** Does `work` while the deployed installation is paused. */
async function pauseInstallation(
  target: Target,
  { progress: onProgress }: DeployOutput,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const { store, close } = openCloud(composeTargetEnvironment(target));
  const log = createLogger({ LOG_LEVEL: 'silent' });
  try {
    await whilePaused({ store, clock: systemClock, log }, { by: readName(), onProgress, signal }, work);
  } finally {
    await close();
  }
}

/** Runs `work`, which returns whether the command succeeded. Adds the fix to known errors of Google. */
async function withProblems(target: Target, work: () => Promise<boolean>): Promise<void> {
  try {
    if (!(await work())) process.exitCode = 1;
  } catch (error) {
    // Errors of Terraform name their fix already.
    if (error instanceof UsageError || (error instanceof Error && error.message.includes('\n  fix: ')))
      throw error;
    const problem = problemOfError(error, target);
    if (problem === undefined) throw error;
    throw new Error(`${problem.cause}\n  fix: ${problem.fix}\n${errorMessage(error)}`, { cause: error });
  }
}

function createDeployOutput(json: boolean): DeployOutput {
  return {
    event(event, lines) {
      if (json) write(escapeHidden(JSON.stringify(event)));
      else for (const line of lines) write(printableText(line));
    },
    progress: (line) => report(printableText(line)),
  };
}

async function addSecret(name: string, options: TargetOptions): Promise<void> {
  const target = resolveTarget(options, process.env);
  if (!/^[A-Z][A-Z0-9_]*$/.test(name))
    throw new UsageError(
      `${JSON.stringify(name)} is no name of an environment variable, such as PAGER_TOKEN`,
    );
  if (process.stdin.isTTY)
    throw new UsageError('the value is read from standard input: pipe it, or redirect a file');
  const settings = readSettings(resolveDeployedConfig(target), target);
  const signal = interruptSignal();
  await withProblems(target, async () => {
    const value = await buffer(process.stdin);
    const end = value.at(-1) === 0x0a ? (value.at(-2) === 0x0d ? -2 : -1) : undefined;
    const { secret, version } = await addVersion(openGoogleApi(target.project, signal), target, {
      variable: name,
      value: value.subarray(0, end),
      settings,
    });
    write(`version ${version} of ${secret} is stored; \`${deployCommand(target)}\` uses it`);
    return true;
  });
}
