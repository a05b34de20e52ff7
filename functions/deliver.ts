// Topic `deliveries`: sends the messages that are due at a destination.

import { ASKS } from '../shared/features/ask/takeMention.ts';
import { handleDelivery } from '../shared/features/deliveries/entry/handleDelivery.ts';
import { createThrottle } from '../shared/features/deliveries/throttle.ts';
import { createDeliverServices } from '../shared/wiring/deliverServices.ts';
import { startServices } from './startServices.ts';
import { registerTopicFunction } from './topicFunction.ts';

const services = startServices(createDeliverServices);
const deps = { ...services, pace: createThrottle(services.clock), mentions: ASKS };

registerTopicFunction('deliver', (event) => handleDelivery(event, deps), deps.log);
