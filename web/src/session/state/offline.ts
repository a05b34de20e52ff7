// While the connection is lost, decisions and questions are disabled: the page can be out of date.

import { computed } from '@preact/signals';
import { connection } from '../../frame/connection.ts';

/** Whether the connection is lost. */
export const isOffline = computed(() => connection.value?.kind === 'lost');
