// Topic `changes`: stores the changes of resources.

import { handleChange } from '../shared/lists/changeHandler.ts';
import { createChangeServices } from '../shared/wiring/changeServices.ts';
import { startServices } from './startServices.ts';
import { registerTopicFunction } from './topicFunction.ts';

const deps = startServices(createChangeServices);

registerTopicFunction('ingestChange', (event) => handleChange(event, deps), deps.log);
