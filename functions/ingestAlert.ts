// Topic `alerts`: opens a session for an alert.

import { cloudEvent } from '@google-cloud/functions-framework';
import { handleAlert } from '../shared/runtime/handlers.ts';
import { createServices } from '../shared/runtime/services.ts';
import { startServices } from './startServices.ts';

const { config, deps } = startServices(createServices);

cloudEvent('ingestAlert', (event: unknown) => handleAlert(event, config, deps));
