// Runs once a minute by a schedule, by HTTP POST: repairs late sessions and answers with a report.

import { http } from '@google-cloud/functions-framework';
import { errorMessage } from '../shared/core/errors.ts';
import { handleTick } from '../shared/engine/handleTick.ts';
import { createStateServices } from '../shared/wiring/stateServices.ts';
import { loadSweepFeatures } from '../shared/wiring/sweepServices.ts';
import { startServices } from './startServices.ts';
import { refuseOtherMethods } from './topicFunction.ts';

const deps = startServices((env) => createStateServices(env, undefined, false));
let features: ReturnType<typeof loadSweepFeatures> | undefined;

http('sweep', async (request, response) => {
  if (refuseOtherMethods(request, response, 'a schedule calls this')) return;
  // Cloud Scheduler reports every answer without a 2xx status as failed. The answer contains the reason.
  try {
    features ??= loadSweepFeatures(process.env);
    const report = await handleTick(deps, await features);
    response.status(report.failed > 0 ? 500 : 200).json(report);
  } catch (error) {
    deps.log.error({ err: error }, `the sweep failed: ${errorMessage(error)}`);
    response.status(503).json({ error: errorMessage(error) });
  }
});
