/** Adds up test reports (JSON, as vitest writes them) and prints `N passed, N failed` as the last line. */
import { readFileSync } from 'node:fs';

const reports = process.argv.slice(2).map(path => JSON.parse(readFileSync(path, 'utf8')));
const sum = field => reports.reduce((total, report) => total + report[field], 0);
const passed = sum('numPassedTests');
const failed = sum('numFailedTests') + reports.filter(report => !report.success && report.numFailedTests === 0).length;
const left = sum('numPendingTests') + sum('numTodoTests');

if (left > 0) process.stdout.write(`${left} tests did not run: none may be skipped\n`);
process.stdout.write(`${passed} passed, ${failed + left} failed\n`);
process.exit(passed > 0 && failed + left === 0 ? 0 : 1);
