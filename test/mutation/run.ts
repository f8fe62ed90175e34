import { spawnSync } from 'node:child_process';
import { strykerArguments } from './arguments.ts';

const words = ['run', 'config/mutation.mjs', ...strykerArguments(process.argv.slice(2))];
const { status } = spawnSync('stryker', words, { stdio: 'inherit' });
process.exitCode = status ?? 1;
