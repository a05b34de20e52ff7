// An example from its alert to its end in this process: its own configuration, tools and model as `demo` has
// them, on the Firestore emulator. Messages are delivered one after another.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { pushFiles } from '../../cli/knowledge/pushFiles.ts';
import { findExample } from '../../local/examples.ts';
import { scriptedModel } from '../../local/model.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import type { Feature } from '../../shared/core/kernel/feature/feature.ts';
import { handleIteration } from '../../shared/engine/handleIteration.ts';
import { MARK_WORDS } from '../../shared/evidence/markUnchecked.ts';
import type { IntakeFeature } from '../../shared/kits/alerts/intakeFeature.ts';
import { decideApproval } from '../../shared/kits/approvals/decideApproval.ts';
import { readSessionClaims } from '../../shared/kits/claims/sessionClaims.ts';
import { askQuestion } from '../../shared/kits/questions/askQuestion.ts';
import { listApprovals } from '../../shared/kits/views/listApprovals.ts';
import { handleAlert } from '../../shared/lists/alertHandler.ts';
import { createMemoryPublisher } from '../../shared/store/memory/memoryPublisher.ts';
import { createAlertServices } from '../../shared/wiring/alertServices.ts';
import { createIterationServices } from '../../shared/wiring/iterationServices.ts';
import { type Investigation, readInvestigation } from './harness.ts';
import { composeEventarcEvent, PUBLISH_TIME } from './pushEvents.ts';
import { computeSessionId } from './sessionIds.ts';
import { SIGNATURES } from './signatures.ts';

/**
 * Runs an example by name, with its knowledge base and its questions. Every call that needs approval is
 * approved.
 * @param features the features of its iterations; all of them by default.
 * @param intakeFeatures those of intake; all of them by default.
 * @param store where its documents are kept. Default: the Firestore of the environment.
 * @returns with it the texts of its analysis that the check of statements marks.
 * @throws the error of the first delivery that fails: in an example nothing does.
 */
export async function runExample(
  name: string,
  features?: readonly Feature[],
  intakeFeatures?: readonly IntakeFeature[],
  store?: Store,
): Promise<Investigation & { marked: string[] }> {
  const { alertFile, laterFiles, configFolder, scriptFile, questions, knowledgeFiles } = findExample(name);
  // The commands of its tools are looked for in the PATH.
  vi.stubEnv('PATH', `${dirname(process.execPath)}${delimiter}${process.env.PATH}`);
  const model = await scriptedModel({ scriptFile, why: 'an example' });
  onTestFinished(() => {
    vi.unstubAllEnvs();
    return model.stop();
  });
  const env = {
    ...process.env,
    ...model.env,
    INQUEST_CONFIG: configFolder,
    GOOGLE_CLOUD_PROJECT: `demo-${randomUUID().slice(0, 8)}`,
    LOG_LEVEL: 'silent',
  };
  const publisher = createMemoryPublisher();
  const { config } = createAlertServices(env);
  const services = createIterationServices(env);
  const deps = {
    ...services,
    features: features ?? services.features,
    ...SIGNATURES,
    publisher,
    ...(store && { store }),
  };
  onTestFinished(async () => {
    await deps.closeTools();
    await deps.store.close();
  });

  await pushFiles(knowledgeFiles, env);
  const data = readFileSync(alertFile);
  const messageId = await publisher.publish(TOPICS.alerts, data, {});
  for (const file of laterFiles) await publisher.publish(TOPICS.alerts, readFileSync(file), {});
  // Grows while it is read, also by what a person decides.
  const sessionId = computeSessionId({ messageId, data }, new Date(PUBLISH_TIME));
  const unasked = [...questions];
  for (const message of publisher.published) {
    const event = composeEventarcEvent(message, message.topic);
    await (message.topic === TOPICS.alerts
      ? handleAlert(event, config, deps, undefined, intakeFeatures)
      : handleIteration(event, deps));
    for (const { approvalId } of await listApprovals(deps.store, new Date())) {
      await decideApproval(approvalId, { verdict: 'approved', by: 'a person', reason: null }, deps);
    }
    if (message !== publisher.published.at(-1)) continue;
    const text = unasked.shift();
    if (text !== undefined) await askQuestion(sessionId, { text, by: 'a person' }, deps);
  }
  const investigation = await readInvestigation(deps.store, sessionId);
  const claims = await readSessionClaims(sessionId, deps.store, new Date());
  const marked = (claims?.values ?? []).filter(({ state }) => Object.hasOwn(MARK_WORDS, state));
  return { ...investigation, marked: marked.map(({ text }) => text) };
}
