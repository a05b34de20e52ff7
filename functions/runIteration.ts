// Topic `iterations`: runs one iteration of one execution.

import { cloudEvent } from '@google-cloud/functions-framework';
import { handleIteration } from '../shared/runtime/handlers.ts';
import { startServices } from './startServices.ts';

const { deps } = startServices();

cloudEvent('runIteration', (event: unknown) => handleIteration(event, deps));
