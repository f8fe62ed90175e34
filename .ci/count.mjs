/**
 * Adds up test reports (JSON, as vitest writes them), prints what failed and why, and `N passed, N failed` as the last line. A report
 * that is not there is a suite that broke before its first test, and counts as one failure. So does a suite that failed
 * with all its tests passed, because of an error outside of them: beside its report stands a file `NAME.json.failed`.
 */
import { existsSync, readFileSync } from 'node:fs';

const [found, missing] = [true, false].map(there =>
  process.argv.slice(2).filter(path => existsSync(path) === there),
);
const reports = found.map(path => ({ ...JSON.parse(readFileSync(path, 'utf8')), path }));
const sum = field => reports.reduce((total, report) => total + report[field], 0);
const passed = sum('numPassedTests');
const hasFailed = ({ success, path }) => !success || existsSync(`${path}.failed`);
const broken = reports.filter(report => hasFailed(report) && report.numFailedTests === 0).length;
const failed = sum('numFailedTests') + broken + missing.length;
const left = sum('numPendingTests') + sum('numTodoTests');

/** What vitest says of each failed test, and of each file that failed before its tests. */
const failures = reports.flatMap(({ testResults }) =>
  testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults
      .filter(test => test.status === 'failed')
      .map(test => `FAILED ${name}: ${test.fullName}\n${test.failureMessages.join('\n')}`);
    return tests.length === 0 && status === 'failed' ? [`FAILED ${name}\n${message}`] : tests;
  }),
);

for (const failure of failures) process.stdout.write(`${failure.slice(0, 2000)}\n`);
for (const { path } of reports.filter(hasFailed)) process.stdout.write(`failed: ${path}\n`);
for (const path of missing) process.stdout.write(`no report: ${path}\n`);
if (left > 0) process.stdout.write(`${left} tests did not run: none may be skipped\n`);
process.stdout.write(`${passed} passed, ${failed + left} failed\n`);
process.exit(passed > 0 && failed + left === 0 ? 0 : 1);
