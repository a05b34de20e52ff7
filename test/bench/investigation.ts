// An investigation of the bench with tools of its own, run iteration by iteration.

import { PubSub } from '@google-cloud/pubsub';
import { type Publisher, TOPICS } from '../../shared/core/contract/publisher.ts';
import { createDocument, type Store } from '../../shared/core/contract/store.ts';
import type { ConnectTools } from '../../shared/core/contract/tools.ts';
import { runIteration } from '../../shared/core/iteration/runIteration.ts';
import { startStage } from '../../shared/core/stage/startStage.ts';
import { paths, sessionType } from '../../shared/lists/documents.ts';
import { FEATURES } from '../../shared/lists/iterationFeatures.ts';
import { STAGE_FEATURES } from '../../shared/lists/stageFeatures.ts';
import { openCloud } from '../../shared/wiring/openCloud.ts';
import { INQUEST_WORDING } from '../../shared/wording/inquest.ts';
import { benchDeps } from './benchDeps.ts';
import { benchSession } from './instantWorld.ts';

/** A model that the scripted Gemini knows. */
const MODEL = 'gemini-3.8-flash';

/** What many iterations took, in milliseconds. */
export interface Times {
  times: number[];
  /** Processor time of this process, garbage collection included. */
  cpuTimes: number[];
}

/** Store and publisher of this process's environment, with the topic that iterations publish to. */
export async function openBench(): Promise<{ store: Store; publisher: Publisher; close(): Promise<void> }> {
  const { projectId, store, publisher, close } = openCloud(process.env);
  const pubsub = new PubSub({ projectId });
  await pubsub.topic(TOPICS.iterations).get({ autoCreate: true });
  await pubsub.close();
  return { store, publisher, close };
}

/** Stores a session with one execution, which may take `iterations` iterations. */
export async function beginExecution(iterations: number, store: Store) {
  const session = benchSession(iterations);
  for (const { agents } of session.chain.stages) {
    for (const agent of agents) agent.model.model = MODEL;
  }
  const { sessionId, createdAt } = session;
  const stage = { index: 1, kind: 'investigation' as const, findings: [] };
  const { executions, writes } = startStage(session, stage, createdAt, {
    wording: INQUEST_WORDING,
    stageFeatures: STAGE_FEATURES,
  });
  await store.commit([createDocument(paths.session(sessionId), sessionType, session), ...writes]);
  return { sessionId, executionId: executions[0]?.executionId ?? '' };
}

/** Begins an investigation whose agent calls `bench.read` in each iteration. */
export async function startInvestigation(
  iterations: number,
  { store, publisher }: { store: Store; publisher: Publisher },
  connectTools: ConnectTools,
) {
  const deps = benchDeps({ store, publisher, connectTools });
  const ids = await beginExecution(iterations, store);
  const measured: Times = { times: [], cpuTimes: [] };
  return {
    measured,
    async next(): Promise<void> {
      const startedAt = performance.now();
      const cpuBefore = process.cpuUsage();
      await runIteration(
        { schemaVersion: 1, ...ids, iteration: measured.times.length + 1 },
        null,
        deps,
        FEATURES,
      );
      const { user, system } = process.cpuUsage(cpuBefore);
      measured.cpuTimes.push((user + system) / 1_000);
      measured.times.push(performance.now() - startedAt);
    },
  };
}
