// Topic `alerts`: opens a session for an alert.

import './withoutDomains.ts';
import { cloudEvent } from '@google-cloud/functions-framework';
import { handleAlert } from '../shared/runtime/entry/handleAlert.ts';
import { createAlertServices } from '../shared/wiring/alertServices.ts';
import { FUNCTION_NAMES } from './manifest.ts';
import { startServices } from './startServices.ts';

const { config, deps, own } = startServices((env) => createAlertServices(env, FUNCTION_NAMES));

cloudEvent('ingestAlert', (event: unknown) => handleAlert(event, config, deps, own));
