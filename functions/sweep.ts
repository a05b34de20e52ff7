// A schedule, once a minute, by HTTP POST: looks after every open session and answers with what it did.

import { http } from '@google-cloud/functions-framework';
import { handleTick } from '../shared/runtime/handlers.ts';
import { createStateServices } from '../shared/runtime/stateServices.ts';
import { startServices } from './startServices.ts';

const deps = startServices(createStateServices);

http('sweep', async (request, response) => {
  if (request.method !== 'POST') {
    response.status(405).set('Allow', 'POST').json({ error: 'POST only: a schedule calls this' });
    return;
  }
  response.json(await handleTick(deps));
});
