// Topic `iterations`: runs one iteration of one execution.

import { cloudEvent } from '@google-cloud/functions-framework';
import { handleIteration } from '../shared/runtime/entry/handlers.ts';
import { createServices } from '../shared/wiring/services.ts';
import { startServices } from './startServices.ts';

const { deps } = startServices(createServices);

cloudEvent('runIteration', (event: unknown) => handleIteration(event, deps));
