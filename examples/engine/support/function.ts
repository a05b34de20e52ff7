// What Google Cloud calls. The functions-framework registers each under its name.

import { http } from '@google-cloud/functions-framework';
import { agents } from './support.ts';

for (const [name, handler] of Object.entries(agents.handlers)) http(name, handler);
