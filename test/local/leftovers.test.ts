// What was started ends with the process that started it, however that ends.

import { describeLeftovers } from '../support/leftovers.ts';

describeLeftovers('the local cloud');
