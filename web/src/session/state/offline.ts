// While the connection is lost nobody decides or asks: what they see may not be what is.

import { computed } from '@preact/signals';
import { connection } from '../../frame/Frame.tsx';

/** Whether the connection is lost. */
export const isOffline = computed(() => connection.value?.kind === 'lost');
