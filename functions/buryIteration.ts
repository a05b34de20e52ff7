// Topic `iterations-dead`: ends the execution of a message that could not be handled.

import { cloudEvent } from '@google-cloud/functions-framework';
import { handleDeadLetter } from '../shared/runtime/handlers.ts';
import { createStateServices } from '../shared/runtime/stateServices.ts';
import { startServices } from './startServices.ts';

const deps = startServices(createStateServices);

cloudEvent('buryIteration', (event: unknown) => handleDeadLetter(event, deps));
