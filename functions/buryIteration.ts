// Topic `iterations-dead`: ends the execution of a message that could not be handled.

import { handleDeadLetter } from '../shared/engine/handleDeadLetter.ts';
import { createStateServices } from '../shared/wiring/stateServices.ts';
import { startServices } from './startServices.ts';
import { registerTopicFunction } from './topicFunction.ts';

const deps = startServices(createStateServices);

registerTopicFunction('buryIteration', (event) => handleDeadLetter(event, deps), deps.log);
