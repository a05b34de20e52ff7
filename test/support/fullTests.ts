// What `npm test` and CI leave out, because it takes long and repeats on real parts what cheaper tests prove.
// `npm run test:full` runs all but the longest, `npm run test:long` runs everything.

import { matchesGlob } from 'node:path/posix';

/** Whether everything runs. */
export const IS_LONG = process.env.INQUEST_TESTS === 'long';

/** Whether all runs that CI runs, with or without the rest. */
export const IS_FULL = process.env.INQUEST_TESTS === 'full' || IS_LONG;

/** Whether only tests with Firestore or Pub/Sub run, on Google's emulators if installed. */
export const ON_EMULATORS = process.env.INQUEST_TESTS === 'emulators';

/** Runs of a random test's property: in `npm test` a tenth, in `npm run test:full` a fifth. */
export function randomRuns(all: number): number {
  if (IS_LONG) return all;
  return Math.ceil(all / (IS_FULL ? 5 : 10));
}

/** The first `quick` of all cases in `npm test`, all of them in `npm run test:full`. */
export function takeCases<T>(all: readonly T[], quick: number): readonly T[] {
  return IS_FULL ? all : all.slice(0, quick);
}

/**
 * What only `npm run test:long` runs, by group. Groups without files name tests that are skipped within their
 * file. CI runs a cheaper test for the rule of each.
 */
export const LONG_ONLY: Record<string, readonly string[]> = {
  'crashes of processes at all other moments': [
    'test/reliability/approvals.test.ts',
    'test/reliability/askKills.test.ts',
    'test/reliability/deadLetters.test.ts',
    'test/reliability/deliveryKills.test.ts',
  ],
  'all seeds and all mutants of the simulation': [],
  'mutants of masking': [],
  'all random cases': [],
  'investigations of test/core and test/features on a Firestore': [],
  'largest results, answers and conversations': ['test/system/memory.test.ts'],
  'signals and restarts at all other moments': [],
  // CI runs them on Google's emulators.
  'migrations and a system on the local cloud': ['test/store/migrate.test.ts', 'test/local/system.test.ts'],
  'each combination of screen, colours and width of the dashboard': [],
  'removal of each feature, and the demo without five': [],
  'the package, installed': [],
  'restarts of the local cloud (INQUEST_TESTS=long npm run test:cloud)': [],
};

/** What `npm test` leaves out and `npm run test:full` runs, by group, as in `LONG_ONLY`. */
export const FULL_ONLY: Record<string, readonly string[]> = {
  'dashboard in a browser': ['test/web/**'],
  'the simulation beyond 10 seeds, and its mutants': ['test/simulation/mutants.test.ts'],
  'LangChain, and clients of other makers': [
    'test/packages/*.test.ts',
    'test/bench/engine.test.ts',
    'deploy/providerPackages.test.ts',
    'shared/llm/langchain/langchainClient.test.ts',
    'shared/llm/langchain/packages.test.ts',
    'shared/llm/langchain/replay.test.ts',
    'shared/llm/langchain/toolCalls.test.ts',
  ],
  'recipes of docs/extending.md': ['test/extending/recipes.test.ts'],
  'removal of two features': ['test/extending/deletable.test.ts'],
  'commands that move and rename': ['test/moving/moving.test.ts'],
  'the package, built': ['test/deploy/package/engine.test.ts', 'test/deploy/package/package.test.ts'],
  'evaluations of the Terraform module, where terraform is on the PATH': [],
  'a build without the features that can be off': [],
  'a deployment of the evaluated settings': ['test/deploy/deployment.test.ts'],
  'more random cases, and the largest hostile texts': [],
  'many readers, and those that fall behind; 200 iterations': [
    'test/api/slowReaders.test.ts',
    'test/api/watchers.test.ts',
    'test/core/growth.test.ts',
  ],
  'commands and the sweep with many sessions; in the longest run with 20,000': [
    'test/store/manySessions.test.ts',
  ],
  'many investigations at the pace of a real model, and the simulated capacity': [
    'test/bench/capacity/simulate.test.ts',
    'test/features/budgets/hotBudget.test.ts',
    'test/features/system/hotDocuments.test.ts',
    'test/features/system/recovery.test.ts',
  ],
  'replays of sessions, and evaluations of the example cases': [
    'test/cases/evaluate.test.ts',
    'test/cases/replay.test.ts',
  ],
  'restarts, signals and dead servers': [
    'test/system/restart.test.ts',
    'test/system/interrupt.test.ts',
    'test/system/deadEmulator.test.ts',
    'test/system/besideStart.test.ts',
    'test/local/leftovers.test.ts',
    'local/processes/childProcess.test.ts',
    'shared/wiring/iterationServices.test.ts',
  ],
  'kills of functions, and of programs with an engine': [
    'test/engine/kills.test.ts',
    'test/engine/support.test.ts',
    'test/reliability/kills.test.ts',
  ],
  'commands in processes of their own, and demos': [
    'test/system/db.test.ts',
    'test/system/checkConfig.test.ts',
    'test/system/cancel.test.ts',
    'test/system/deployTest.test.ts',
    'test/system/featuresOff.test.ts',
    'test/system/initTerminal.test.ts',
    'test/system/doctor.test.ts',
    'test/system/publish.test.ts',
    'test/system/startDeferred.test.ts',
    'test/system/startup.test.ts',
    'test/system/examples.test.ts',
    'test/system/bothWays.test.ts',
    'test/system/bundle.test.ts',
    'test/system/listening.test.ts',
    'test/system/scripts.test.ts',
    'test/system/servedApi.test.ts',
    'test/system/sweep.test.ts',
    'cli/inquest.test.ts',
    'functions/start.test.ts',
  ],
};

const LONG_ONLY_FILES = Object.values(LONG_ONLY).flat();

/** The files that `npm test` leaves out. */
export const FULL_ONLY_FILES = [...Object.values(FULL_ONLY).flat(), ...LONG_ONLY_FILES];

/** Folders below `test` with investigations that `npm test` runs on the store in memory. */
const IN_MEMORY = 'cases|core|features|kits|masking|tools';

/** Tests below `test/api` that list no documents: CI runs them in memory, too. */
const API_IN_MEMORY = 'answerOnce|compress|curl|fuzz|secrets|slowSenders|unreadable|webPage';

/** Tests in these folders that need Firestore itself, and those that list documents over the API. */
const NEEDS_FIRESTORE = [
  'test/core/bigThings.test.ts',
  'test/core/growth.test.ts',
  'test/core/noFeatures.test.ts',
  'test/cases/replayModel.test.ts',
  'test/{features,kits}/*/*{c,C}ommand.test.ts',
  'test/features/alerts/preview.test.ts',
  'test/features/alerts/rejected.test.ts',
  'test/features/approvals/{forgedApprovals,pages}.test.ts',
  'test/features/budgets/budgetProcesses.test.ts',
  'test/features/budgets/budgetReport.test.ts',
  'test/features/score/score.test.ts',
  'test/features/changes/webhooks.test.ts',
  'test/features/fork/agentFile.test.ts',
  'test/features/checks/api.test.ts',
  'test/features/counts/counts.test.ts',
  'test/features/deliveries/api.test.ts',
  'test/features/deliveries/eventsTopic.test.ts',
  'test/features/incidents/api.test.ts',
  'test/features/mcpServer/mcpServer.test.ts',
  'test/features/sessions/documents.test.ts',
  'test/features/sessions/sessionList.test.ts',
  'test/features/sessions/timeline.test.ts',
  'test/features/system/parts.test.ts',
  'test/features/system/pauseApi.test.ts',
  'test/features/telemetry/scrapedMetrics.test.ts',
  'test/features/topology/topology.test.ts',
  'test/features/work/api.test.ts',
];

/** Whether a file can run in memory: `INQUEST_TEST_STORE=memory` leaves out the others. */
export function canRunInMemory(path: string): boolean {
  const file = path.slice(path.lastIndexOf('/test/') + 1);
  if (file.startsWith('test/api/')) return matchesGlob(file, `test/api/@(${API_IN_MEMORY}).test.ts`);
  return !NEEDS_FIRESTORE.some((glob) => matchesGlob(file, glob));
}

/** Those that CI runs on a Firestore nevertheless: stages, waiting calls, races and shared counters. */
const ON_FIRESTORE_IN_CI = [
  'test/core/stages.test.ts',
  'test/features/approvals/approvals.test.ts',
  'test/features/budgets/tokenBudgets.test.ts',
  'test/features/incidents/incidentRaces.test.ts',
];

/** Files only of `npm run test:emulators`, which also hold Google's emulators to them. */
const ON_BOTH = ['test/store/migrate.test.ts', 'test/local/system.test.ts'];

/** The files of a run. A file that stands in both of the first two lists runs on a Firestore. */
interface Selection {
  inMemory: string[];
  onStore: string[];
  leftOut: string[];
}

const inMemory = [`test/@(${IN_MEMORY})/**/*.test.ts`, `test/api/@(${API_IN_MEMORY}).test.ts`];
const onStore = [
  `test/!(api|${IN_MEMORY})/**/*.test.ts`,
  `test/api/!(@(${API_IN_MEMORY}).test.ts)`,
  ...NEEDS_FIRESTORE,
];

/** What `onStore` names and runs elsewhere: `npm run test:cloud` compares the local cloud with emulators. */
export const NOT_ON_STORE = [
  'test/cloud/**',
  'test/packages/firestoreRules.test.ts',
  'test/simulation/**',
  'test/web/**',
];

/** The files of each kind of run. */
export const SELECTIONS: Record<'quick' | 'full' | 'long' | 'emulators', Selection> = {
  quick: { inMemory, onStore, leftOut: FULL_ONLY_FILES },
  full: { inMemory, onStore: [...onStore, ...ON_FIRESTORE_IN_CI], leftOut: LONG_ONLY_FILES },
  long: { inMemory: [], onStore: ['test/**/*.test.ts'], leftOut: [] },
  emulators: {
    inMemory: [],
    onStore: [`test/@(${IN_MEMORY}|api|schema|store|system)/**/*.test.ts`, 'test/local/system.test.ts'],
    leftOut: FULL_ONLY_FILES.filter((file) => !ON_BOTH.includes(file)),
  },
};
