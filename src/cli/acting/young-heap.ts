import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const ENOUGH_BYTES = 4 * 1024 * 1024;
const LOOK_MS = 20;

/**
 * Lets V8's space for new objects grow to some 4 MB, and no further. Left alone it takes 128 MB in a long run of an
 * action, which keeps nothing: all of it is garbage, and twice what the rest needs. (A listing keeps what it lists, and is
 * the quicker for room.) Its largest size can be given on Node's command line only,
 * which is not ours; how it grows can be changed at any time.
 */
export function keepYoungHeapSmall(): void {
  const looking = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young === undefined || young.space_size < ENOUGH_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(looking);
  }, LOOK_MS);
  looking.unref();
}
