// What is dead, for `npm run check`, which asks twice. `knip` reports files, exports and dependencies that nothing uses;
// tests count as users, and use in its own file does not make an export. `knip --production` reports what tests alone
// use: `@internal` in its docstring marks an export that is meant for tests.

import type { KnipConfig } from 'knip';
import { STARTED_MODULES } from './shared/projectFiles.ts';

export default function config({ production = false }: { production?: boolean }): KnipConfig {
  return {
    // `!` marks what belongs to production.
    entry: [
      'functions/*.ts!',
      'cli/{cli,inquest}.{js,ts}!',
      'deploy/{build,pack}.ts!',
      'test/bench/bench.ts',
      // The dashboard: what the browser loads, and what builds it or serves it from fixtures.
      'web/src/main.tsx!',
      'web/vite.config.ts',
      'web/fixtures/record.ts',
      'web/dev/bench.ts',
      // The types that others build on.
      'shared/contract/*.ts!',
      // Processes and threads that are started by path.
      ...STARTED_MODULES.map((path) => `${path}!`),
      'test/**/fixtures/{broken,recorder,recordingReads,cancel,killable,crashingServer,server,ending}.ts',
      'test/figures/figures.ts',
      'test/simulation/{simulate,mutants}.ts',
      'test/leaks/{fuzz,mutants,worker}.ts',
      'test/unitMutants/{mutants,vitest.config}.ts',
      'test/tokenFormats/update.ts',
      // The examples that docs/extending.md quotes.
      'docs/extending/*.ts',
      // The ports in memory: what adapters are compared with, for tests.
      'shared/store/memory/*.ts!',
      // What is due for a call that waits; no tool source makes such calls yet.
      'shared/runtime/kernel/state/decideWait.ts!',
      // Whose a request is, and messages that a tool looks up: nothing serves requests or searches yet.
      'shared/runtime/tenants/contextHeaders.ts!',
      'shared/runtime/kernel/conversation/lookupMessage.ts!',
      // Conversions that no path uses yet.
      'shared/llm/interchange/*.ts!',
    ],
    project: [
      '{functions,cli,local,deploy,shared}/**/*.ts!',
      'web/src/**/*.{ts,tsx}!',
      'web/{dev,fixtures}/**/*.ts',
      '!**/*.{test,fixture}.ts!',
      '{test,docs}/**/*.ts',
    ],
    // A provider's package, which LangChain imports by name in a test, and a program that a test runs.
    ignoreDependencies: ['@langchain/openai', '@modelcontextprotocol/conformance'],
    ignoreExportsUsedInFile: production,
  };
}
