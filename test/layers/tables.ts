// The layers of the code: which room may import which. A room is a top folder, a folder of shared/ or of
// packages/, or a single file of shared/. `shared/layers.test.ts` checks every import, also of types; tests
// and fixtures are free. `npm run draw-rooms` draws the tables for docs/architecture.md.

import { readdirSync } from 'node:fs';

/** Below everything else of `shared/`: the core, documents of features, types that libraries share. */
const base = ['contract', 'schema', 'core', 'text'];
/** Pure libraries: they decide and convert, and know no network. */
export const libraries = [
  'wording',
  'prompt',
  'masking',
  'changes',
  'alerts',
  'config',
  'agents',
  'search',
  'evidence',
];
/** Libraries that reach something outside the process. Only wiring and the entries choose them. */
export const engines = ['llm', 'tools', 'store', 'runbooks', 'destinations', 'telemetry'];
const belowWiring = [
  'engine',
  'lists',
  'features',
  'api',
  'kits',
  ...libraries,
  ...engines,
  ...base,
  'log',
  'environment',
  'projectFiles',
];

/** What the core imports besides itself and Node's own modules. */
export const CORE_IMPORTS = /^(zod$|node:|shared\/text\/)/;
/** They know nothing of the product, and only their entries are imported. */
export const packages = ['packages/local-cloud', 'packages/scripted-gemini'];

/** All rooms that the library `inquest/engine` reaches, also by way of others and for types. */
export const ENGINE_REACHES = [
  'agents',
  'contract',
  'core',
  'engine',
  'environment',
  'features',
  'kits',
  'lists',
  'llm',
  'masking',
  'projectFiles',
  'prompt',
  'schema',
  'search',
  'store',
  'text',
  'tools',
];

/** What each room may import besides itself. Every import points down this table. */
export const MAY_IMPORT: Record<string, string[]> = {
  cli: ['local', 'deploy', 'functions', 'wiring', 'cases', 'client', ...belowWiring],
  local: ['deploy', 'functions', 'wiring', 'cases', ...packages, ...belowWiring],
  deploy: ['functions', 'wiring', ...belowWiring],
  functions: ['wiring', 'engine', 'lists', 'features', 'api', ...base, 'log', 'projectFiles'],

  cases: ['engine', 'lists', 'kits', 'store', 'tools', ...libraries, ...base, 'log', 'projectFiles'],
  wiring: belowWiring.filter((room) => room !== 'features'),
  // For the page, which loads it: only types of `lists`, `api` and `core`.
  client: ['lists', 'api', 'core', 'text'],
  // The library: neither alerts, the API, files of configuration nor the command.
  engine: ['lists', 'kits', 'agents', 'prompt', 'masking', 'llm', 'tools', 'store', ...base, 'environment'],
  log: ['core'],
  // The only room that names features; each entry has lists of its own.
  lists: ['features', 'api', 'kits', 'tools', ...libraries, ...base],
  features: ['api', 'kits', ...libraries, ...base],
  api: ['kits', 'alerts', 'evidence', ...base],
  // Between the core and the features: what several features, routes and commands use of stored state.
  kits: ['config', 'masking', 'agents', 'prompt', 'alerts', 'search', 'evidence', ...base],

  config: ['agents', 'wording', 'changes', 'evidence', 'alerts', 'masking', ...base],
  agents: ['wording', ...base],
  wording: ['prompt', 'changes', 'search', 'alerts', ...base],
  prompt: ['changes', 'search', 'evidence', ...base],
  changes: ['alerts', ...base],
  search: ['alerts', 'evidence', ...base],
  alerts: base,
  evidence: ['schema', 'core', 'text', 'projectFiles'],

  // Errors of models and servers quote what was sent to them.
  llm: ['masking', ...base],
  tools: ['masking', ...base],
  store: base,
  runbooks: base,
  destinations: base,
  telemetry: base,

  masking: [...base, 'projectFiles'],

  environment: ['contract', 'core', 'projectFiles'],
  contract: ['core', 'text'],
  schema: ['core', 'text'],
  core: ['text'],
  projectFiles: [],
  text: [],

  ...Object.fromEntries(packages.map((name) => [name, []])),
};

/** A large folder whose rooms have a table of their own. A room is a folder, or a file without `.ts`. */
export interface SecondLevel {
  /** `shared/core/`. */
  folder: string;
  /** The rooms of `folder` that each room can import. The parts of one room can import each other. */
  mayImport: Record<string, string[]>;
  /** Rooms whose parts cannot import each other; only files directly in the room, its lists, import parts. */
  apart?: string[];
  /** Rooms that can have more than `MAX_FILES` files, because each file is one document or one interface. */
  lists?: string[];
}

/** The features: a folder each. */
export const FEATURES = readdirSync(new URL('../../shared/features/', import.meta.url)).sort();

/** Where a feature has a folder of its name. */
export const FEATURE_FOLDERS = [
  'shared/features/',
  'cli/features/',
  'web/src/features/',
  'test/features/',
  'test/simulation/features/',
];

/** The only files of the product that import features, besides features themselves. */
export const FEATURE_LISTS = [
  'shared/lists/*.ts',
  'functions/*.ts',
  'cli/program.ts',
  'web/src/lists/*.{ts,tsx}',
  'web/src/main.tsx',
];

/** Tests that run several features together; all others import only the feature of their folder. */
export const TESTS_OF_SEVERAL = [
  'shared/config/budgets.test.ts',
  'shared/core/iteration/{ask/framedResults,calls/startNextCalls}.test.ts',
  'test/{bench,leaks,reliability,simulation,support}/**',
  'test/api/fuzz.test.ts',
  'test/features/{incidents/incidents,outcomes/outcomes,sessions/sessionList,tiers/serviceTiers}.test.ts',
  'test/features/incidents/incidentWorld.ts',
  'test/kits/tenants/tenants.test.ts',
  'test/packages/catchUp.test.ts',
  'test/store/indexQueries.test.ts',
  'web/fixtures/operations.ts',
];

export const SECOND_LEVELS: SecondLevel[] = [
  {
    folder: 'shared/core/',
    lists: ['contract', 'schema'],
    mayImport: {
      rescue: ['session', 'stage', 'kernel', 'contract', 'schema', 'errors'],
      iteration: ['stage', 'controllers', 'kernel', 'prompts', 'contract', 'schema', 'errors'],
      session: ['stage', 'kernel', 'contract', 'schema', 'errors'],
      stage: ['kernel', 'prompts', 'contract', 'schema', 'errors'],
      kernel: ['prompts', 'contract', 'schema', 'errors'],
      controllers: ['prompts', 'contract', 'schema', 'errors'],
      prompts: ['contract', 'schema'],
      contract: ['schema', 'errors'],
      schema: ['errors'],
      errors: [],
    },
  },
  {
    folder: 'shared/kits/',
    mayImport: {
      forks: ['claims', 'agents'],
      questions: ['views', 'agents', 'alerts', 'tenants', 'budgets'],
      claims: ['views', 'agents', 'topology'],
      quotas: ['views', 'allowances'],
      judge: ['agents'],
      knowledge: ['views'],
      agents: ['views'],
      views: ['messages', 'alerts', 'tenants'],
      topology: [],
      work: ['counts'],
      tenants: ['allowances'],
      steering: [],
      messages: [],
      live: [],
      enrichment: [],
      deliveries: [],
      counts: [],
      budgets: ['allowances'],
      approvals: [],
      allowances: [],
      alerts: [],
      access: [],
    },
  },
  {
    folder: 'shared/features/',
    // No feature imports another: what two of them need lies below.
    mayImport: Object.fromEntries(FEATURES.map((name) => [name, []])),
  },
  {
    folder: 'shared/api/',
    mayImport: {
      createApi: ['http', 'limits', 'pages', 'webhooks'],
      access: ['http', 'limits'],
      webhooks: ['http'],
      pages: ['http'],
      mcp: ['http'],
      limits: ['http'],
      foreignClients: ['events', 'http'],
      events: ['http'],
      http: [],
      apiServer: [],
    },
  },
  {
    folder: 'cli/',
    apart: ['features'],
    mayImport: {
      cli: ['program'],
      program: ['features', 'commands', 'print', 'process'],
      // Commands of features; the others are of the whole installation, or of each session.
      features: ['alert', 'api', 'google', 'migration', 'system', 'knowledge', 'options', 'print', 'process'],
      commands: [
        'api',
        'alert',
        'deploy',
        'deployed',
        'google',
        'system',
        'knowledge',
        'migration',
        'erase',
        'init',
        'packs',
        'options',
        'print',
        'process',
      ],
      alert: ['api', 'options', 'print', 'process'],
      api: ['google', 'options', 'print', 'process'],
      knowledge: ['options', 'print', 'process'],
      deployed: ['deploy', 'google', 'migration'],
      erase: [],
      init: ['packs', 'process'],
      deploy: ['google', 'migration', 'process'],
      migration: ['options', 'print', 'process'],
      google: [],
      system: ['packs', 'process'],
      packs: ['process'],
      options: ['print', 'process'],
      print: ['process'],
      process: [],
    },
  },
];

/** The folders of the inline way of waiting for a model, and the only files or folders that import each. */
export const INLINE: Record<string, string[]> = {
  'shared/core/kernel/inline/': [
    'shared/core/iteration/context/features.ts',
    'shared/features/results/summarizeResult.ts',
  ],
  'shared/llm/inline/': ['shared/llm/'],
};

/** No folder of these has more files, tests apart. */
export const MAX_FILES = 20;

export const WEB = 'web/src/';
const webBase = ['markdown', 'parts', 'model', 'api'];
const session = ['analysis', 'side', 'steps', 'rows', 'samples', 'state'].map((part) => `session/${part}`);
/** The parts of features in the page. They import what all pages share, and no other feature. */
const webFeatures = readdirSync(new URL('../../web/src/features/', import.meta.url)).map(
  (name) => `features/${name}`,
);

/** What each folder of web/src/ may import of web/src/ besides itself; `.` is main.tsx. */
export const WEB_MAY_IMPORT: Record<string, string[]> = {
  '.': [
    'lists',
    ...webFeatures,
    'api',
    'errors',
    'frame',
    'list',
    'messages',
    'parts',
    'start',
    'styles',
    'system',
    'markdown',
  ],
  // The only folder that names features besides main.tsx.
  lists: [...webFeatures, 'session', ...session, 'frame', 'parts', 'model'],
  ...Object.fromEntries(
    webFeatures.map((name) => [name, ['session', ...session, 'words', 'frame', ...webBase]]),
  ),
  session: [
    'session/analysis',
    'session/side',
    'session/steps',
    'session/rows',
    'session/state',
    'words',
    'frame',
    ...webBase,
  ],
  'session/analysis': ['session/state', 'words', 'frame', ...webBase],
  'session/side': ['session/steps', 'session/state', 'frame', ...webBase],
  'session/steps': ['session/rows', 'session/state', 'words', ...webBase],
  'session/rows': ['session/samples', 'session/state', ...webBase],
  'session/samples': ['session/state', ...webBase],
  'session/state': ['frame', 'parts', 'model', 'api'],
  list: ['start', 'frame', ...webBase],
  errors: ['frame', ...webBase],
  start: ['words', 'frame', ...webBase],
  messages: ['frame', ...webBase],
  words: ['parts'],
  system: ['frame', ...webBase],
  frame: ['parts', 'model', 'api'],
  markdown: ['parts'],
  parts: ['model', 'api'],
  model: [],
  api: [],
  styles: [],
};

/** What web/src/ imports of the rest: types, texts, and modules that have no imports but types. */
export const WEB_MAY_IMPORT_OUTSIDE = [
  'docs/errors.md?raw',
  'shared/lists/apiTypes.ts',
  'shared/client/apiError.ts',
  'shared/client/client.ts',
  'shared/client/followEvents.ts',
  'shared/client/forkPlaces.ts',
  'shared/client/readPages.ts',
  'shared/client/routes.ts',
  'shared/alerts/alertLocation.ts',
  'shared/text/backOff.ts',
  'shared/text/commands.ts',
  'shared/api/events/eventDisplay.ts',
  'shared/api/pages/sessionReads.ts',
  'shared/config/csv.ts',
  'shared/evidence/calibration.ts',
  'shared/evidence/condition.ts',
  'shared/evidence/documents.ts',
  'shared/evidence/markUnchecked.ts',
  'shared/evidence/records/columns.ts',
  'shared/evidence/records/plainQuery.ts',
  'shared/evidence/searchText.ts',
  'shared/evidence/series.ts',
  'shared/evidence/tokens.ts',
  'shared/text/elicit.ts',
  'shared/text/json.ts',
  'shared/client/knownTotal.ts',
  'shared/text/omissionNote.ts',
  'shared/text/plainMarkdown.ts',
  'shared/text/mechanisms.ts',
  'shared/evidence/outcomeWords.ts',
  'shared/text/problemWords.ts',
  'shared/client/shareText.ts',
  'shared/text/structuredAnswer.ts',
  'shared/text/times.ts',
  'shared/evidence/causeWords.ts',
  'shared/evidence/evidenceWords.ts',
  'shared/evidence/statedConfidence.ts',
  'shared/text/verdictWord.ts',
  'shared/text/webLink.ts',
];
