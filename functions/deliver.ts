// Topic `deliveries`: sends the messages that are due at a destination.

import { handleDelivery } from '../shared/features/deliveries/handleDelivery.ts';
import { createDeliverServices } from '../shared/wiring/deliverServices.ts';
import { startServices } from './startServices.ts';
import { registerTopicFunction } from './topicFunction.ts';

const deps = startServices(createDeliverServices);

registerTopicFunction('deliver', (event) => handleDelivery(event, deps), deps.log);
