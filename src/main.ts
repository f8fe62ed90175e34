import { systemClock } from './base/clock.ts';

process.stdout.write(`tidegate ${systemClock.nowMs()}\n`);
