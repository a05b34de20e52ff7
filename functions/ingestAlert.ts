// Topic `alerts`: opens a session for an alert.

import { cloudEvent } from '@google-cloud/functions-framework';
import { handleAlert } from '../shared/runtime/entry/handleAlert.ts';
import { createAlertServices } from '../shared/wiring/alertServices.ts';
import { startServices } from './startServices.ts';

const { config, deps } = startServices(createAlertServices);

cloudEvent('ingestAlert', (event: unknown) => handleAlert(event, config, deps));
