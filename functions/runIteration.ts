// Topic `iterations`: runs one iteration of one execution.

import { handleIteration } from '../shared/engine/handleIteration.ts';
import { createIterationServices } from '../shared/wiring/iterationServices.ts';
import { startServices } from './startServices.ts';
import { registerTopicFunction } from './topicFunction.ts';

const deps = startServices(createIterationServices);

registerTopicFunction('runIteration', (event) => handleIteration(event, deps), deps.log);
