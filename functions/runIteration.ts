// Topic `iterations`: runs one iteration of one execution.

import './withoutDomains.ts';
import { cloudEvent } from '@google-cloud/functions-framework';
import { handleIteration } from '../shared/runtime/entry/handleIteration.ts';
import { createIterationServices } from '../shared/wiring/iterationServices.ts';
import { startServices } from './startServices.ts';

const deps = startServices(createIterationServices);

cloudEvent('runIteration', (event: unknown) => handleIteration(event, deps));
