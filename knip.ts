// What is dead, for `npm run check`, which asks twice. `knip` reports files, exports and dependencies that
// nothing uses; tests count as users, and use in its own file does not make an export. `knip --production`
// reports what tests alone use: `@internal` in its docstring marks an export that is meant for tests.

import type { KnipConfig } from 'knip';
import { STARTED_MODULES } from './shared/projectFiles.ts';

export default function config({ production = false }: { production?: boolean }): KnipConfig {
  return {
    workspaces: {
      '.': {
        // `!` marks what belongs to production.
        entry: [
          'functions/*.ts!',
          'cli/{cli,inquest}.{js,ts}!',
          'deploy/{build,pack}.ts!',
          'test/bench/bench.ts',
          // The dashboard: what the browser loads, and what builds it or serves it from fixtures.
          'web/src/main.tsx!',
          'web/vite.config.ts',
          // The build takes it in the place of a package.
          'web/src/markdown/entities.ts!',
          'web/src/markdown/noConstruct.ts!',
          'web/fixtures/record.ts',
          'web/dev/{bench,drawTrace,pictures}.ts',
          // The types that others build on.
          'shared/{contract,core/contract}/*.ts!',
          // Processes and threads that are started by path.
          ...STARTED_MODULES.map((path) => `${path}!`),
          'test/**/fixtures/{broken,recorder,recordingReads,procReader,startedServices,offline,cancel,killable,crashingServer,silentPrometheus,server,ending}.ts',
          'functions/fixtures/*.ts',
          'test/figures/figures.ts',
          'test/layers/drawRooms.ts',
          'test/moving/{move,rename}.ts',
          'test/simulation/{simulate,summarizeSeed}.ts',
          'test/simulation/deliveries/simulateDeliveries.ts',
          'test/leaks/fuzz.ts',
          'test/runner/{mutants,worker}.ts',
          'test/unitMutants/{runMutant,vitest.config}.ts',
          'test/mutation/{mutation,recordCoverage,vitest.config}.ts',
          'test/tokenFormats/update.ts',
          'test/support/google/pinDiscovery.ts',
          // Loaded where INQUEST_CPU_LOG is set.
          'test/support/cpuCosts.ts',
          'test/terraform/update.ts',
          // The examples that docs/extending.md quotes.
          'docs/extending/*.ts',
          // The publisher in memory, which only tests use; the store in memory is also that of commands
          // without a database.
          'shared/store/memory/memoryPublisher.ts!',
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
      },
      'packages/local-cloud': {
        entry: ['src/{index,command,cloudHost}.ts!', 'bin/*.js!'],
        project: ['src/**/*.ts!', '!src/**/*.{test,fixture}.ts!'],
        // Only their protocol files are read.
        ignoreDependencies: ['@google-cloud/firestore', '@google-cloud/pubsub'],
      },
      'packages/scripted-gemini': {
        entry: ['src/{index,command}.ts!', 'bin/*.js!'],
        project: ['src/**/*.ts!', '!src/**/*.{test,fixture}.ts!'],
      },
    },
    // Those of test/packages, which has a package.json of its own.
    ignoreDependencies: [
      'langchain',
      '@cassina/langgraphjs-checkpoint-firestore',
      '@firebase/rules-unit-testing',
      '@langchain/core',
      '@langchain/langgraph',
      'firebase',
      '@ai-sdk/openai',
      'ai',
      'openai',
    ],
    // Of util-linux: the pseudo-terminal of tests.
    ignoreBinaries: ['promtool', 'script'],
    ignoreExportsUsedInFile: production,
  };
}
