// Loaded before the measured program: leaves its peak memory (KiB) and its CPU time (µs) behind when it exits.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const file = process.env.BENCH_PEAK_FILE;
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  if (file !== undefined) writeFileSync(file, `${maxRSS} ${userCPUTime + systemCPUTime}`);
});
