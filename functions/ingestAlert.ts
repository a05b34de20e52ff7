// Topic `alerts`: opens a session for an alert.

import { cloudEvent } from '@google-cloud/functions-framework';
import { handleAlert } from '../shared/runtime/entry/handlers.ts';
import { createServices } from '../shared/wiring/services.ts';
import { startServices } from './startServices.ts';

const { config, deps } = startServices(createServices);

cloudEvent('ingestAlert', (event: unknown) => handleAlert(event, config, deps));
