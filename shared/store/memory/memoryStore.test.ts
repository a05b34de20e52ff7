import { describeStore } from '../../../test/store/conformance.ts';
import { createMemoryStore } from './memoryStore.ts';

describeStore('memory', createMemoryStore);
