// Topic `iterations-dead`: ends the execution of a message that could not be handled.

import './withoutDomains.ts';
import { cloudEvent } from '@google-cloud/functions-framework';
import { handleDeadLetter } from '../shared/runtime/entry/handleDeadLetter.ts';
import { createStateServices } from '../shared/wiring/stateServices.ts';
import { startServices } from './startServices.ts';

const deps = startServices(createStateServices);

cloudEvent('buryIteration', (event: unknown) => handleDeadLetter(event, deps));
