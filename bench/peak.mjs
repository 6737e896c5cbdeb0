// Loaded before the measured program: leaves its peak memory (KiB) behind when it exits.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const file = process.env.BENCH_PEAK_FILE;
  if (file !== undefined) writeFileSync(file, String(process.resourceUsage().maxRSS));
});
